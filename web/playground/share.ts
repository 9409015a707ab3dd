// A scenario in the page's address, packed, so that a link says everything.

import { model, type Model } from "./model";

/** What a link opens. */
export interface Shared { model: Model; compare: string | null; text: string | null }

function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
}

async function through(data: BlobPart, stream: CompressionStream | DecompressionStream): Promise<ArrayBuffer> {
  return new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer();
}

/** The part of the address after `#`. */
export async function pack(shared: Shared): Promise<string> {
  return "s=" + base64url(new Uint8Array(await through(JSON.stringify(shared), new CompressionStream("deflate-raw"))));
}

/** What the address holds, or nothing. */
export async function unpack(hash: string): Promise<Shared | null> {
  const packed = /^#?s=([\w-]+)$/.exec(hash)?.[1];
  if (!packed) return null;
  try {
    const text = new TextDecoder().decode(await through(bytes(packed), new DecompressionStream("deflate-raw")));
    const read = JSON.parse(text) as Partial<Shared>;
    return { model: model(read.model ?? {}), compare: read.compare ?? null, text: read.text ?? null };
  } catch {
    return null;
  }
}
