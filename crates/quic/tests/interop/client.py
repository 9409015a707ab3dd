"""A client of the transfer protocol on aioquic, written from docs/protocol.md alone.

    client.py HOST PORT FINGERPRINT fetch NAME FILE
    client.py HOST PORT FINGERPRINT send FILE NAME [PEM]
    client.py identity PEM
"""

import asyncio
import datetime
import hashlib
import json
import ssl
import struct
import sys

from aioquic.asyncio import connect
from aioquic.quic.configuration import QuicConfiguration
from blake3 import blake3
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


class Refused(Exception):
    pass


async def message(reader):
    (length,) = struct.unpack("!H", await reader.readexactly(2))
    answer = json.loads(await reader.readexactly(length))
    if isinstance(answer, dict) and "Refused" in answer:
        raise Refused(answer["Refused"]["why"])
    return answer


def say(writer, text):
    data = json.dumps(text).encode()
    writer.write(struct.pack("!H", len(data)) + data)


async def fetch(reader, writer, name, path):
    say(writer, {"Get": {"name": name}})
    found = (await message(reader))["Found"]
    say(writer, {"Begin": {"offset": 0}})
    writer.write_eof()
    content = await reader.readexactly(found["bytes"])
    assert await reader.read() == b"", "there is more than was told"
    assert blake3(content).hexdigest() == found["hash"], "the hash is wrong"
    with open(path, "wb") as file:
        file.write(content)


async def send(reader, writer, path, name):
    with open(path, "rb") as file:
        content = file.read()
    say(writer, {"Put": {"name": name, "bytes": len(content), "hash": blake3(content).hexdigest(), "force": False}})
    offset = (await message(reader))["Start"]["offset"]
    writer.write(content[offset:])
    writer.write_eof()
    assert await message(reader) == "Done"


def identity(path):
    """Makes a certificate for itself, and prints its fingerprint."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "client")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    with open(path, "wb") as file:
        file.write(certificate.public_bytes(Encoding.PEM))
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    print(hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest())


async def main(host, port, fingerprint, what, *args):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["symbiosis/1"], server_name="symbiosis")
    # Nobody vouches for the certificate: its fingerprint is what counts.
    configuration.verify_mode = ssl.CERT_NONE
    if len(args) == 3:
        configuration.load_cert_chain(args[2], args[2])
    async with connect(host, int(port), configuration=configuration) as client:
        shown = client._quic.tls._peer_certificate.public_bytes(Encoding.DER)
        assert hashlib.sha256(shown).hexdigest() == fingerprint, "another server"
        reader, writer = await client.create_stream()
        await {"fetch": fetch, "send": send}[what](reader, writer, *args[:2])


if sys.argv[1] == "identity":
    identity(sys.argv[2])
    sys.exit()
try:
    asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 60))
except Refused as why:
    sys.exit(f"refused: {why}")
