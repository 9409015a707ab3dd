//! 20 MB over loopback with noq and a controller of symbiosis: `cargo run --release -p symbiosis-noq --example transfer -- cubic`.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use noq::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

const BYTES: usize = 20_000_000;

#[tokio::main]
async fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "symbiosis".into());
    match transfer(&name).await {
        Ok((mbps, lost)) => println!("{name}: {mbps:.0} Mbit/s, {lost} packets lost"),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Sends the bytes; the rate in Mbit/s, and how many packets were lost.
pub async fn transfer(name: &str) -> Result<(f64, u64), Box<dyn Error>> {
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(symbiosis_noq::factory(name)?);
    let transport = Arc::new(transport);

    let certified = rcgen::generate_simple_self_signed(["localhost".into()])?;
    let certificate = CertificateDer::from(certified.cert);
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
    let server = Endpoint::server(server, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let address = server.local_addr()?;
    let receiver = tokio::spawn(async move {
        let connection = server.accept().await.ok_or("the endpoint is closed")?.await?;
        let mut stream = connection.accept_uni().await?;
        let received = stream.read_to_end(BYTES).await?.len();
        connection.close(0u32.into(), b"done");
        Ok::<_, Box<dyn Error + Send + Sync>>(received)
    });

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate)?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(transport);
    let client = Endpoint::client(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    client.set_default_client_config(config);
    let connection = client.connect(address, "localhost")?.await?;
    let begun = Instant::now();
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![7; BYTES]).await?;
    stream.finish()?;
    connection.closed().await;
    let received = receiver.await?.map_err(|error| error.to_string())?;
    assert_eq!(received, BYTES);
    let lost = connection.stats().lost_packets;
    Ok((BYTES as f64 * 8e-6 / begun.elapsed().as_secs_f64(), lost))
}
