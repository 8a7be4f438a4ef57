/** Base64 (RFC 4648, section 4) of a text's UTF-8 bytes. */
export function toBase64(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64url without padding (RFC 4648, section 5) of a text's UTF-8 bytes. */
export const toBase64Url = (text: string): string => toBase64(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/**
 * Decodes what toBase64Url encoded. Throws a RangeError for anything it cannot have produced: padding, stray bits, bytes that are not
 * UTF-8.
 */
export function fromBase64Url(encoded: string): string {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) throw new RangeError('malformed base64url')
  let text: string
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0))
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RangeError('malformed base64url')
  }
  if (toBase64Url(text) !== encoded) throw new RangeError('malformed base64url')
  return text
}
