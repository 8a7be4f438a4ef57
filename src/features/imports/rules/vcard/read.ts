/** A property of a card: `TEL;TYPE=cell:+61…`, without its group. */
export type Property = { name: string; types: string[]; isPreferred: boolean; isText: boolean; value: string }
type Params = { values: Map<string, string>; types: string[] }

/** Encodings whose content is no text. */
const BINARY = /^(?:b|base64)$/
const NAME = /^(?:[\w-]+\.)?([\w-]+)/

/**
 * Reads the properties of a card (vCard 2.1, 3.0 and 4.0): its lines between BEGIN and END, as bytes in a string of one character each.
 * Folded lines are joined, quoted-printable text and character sets are decoded, and binary content is left out.
 */
export function readProperties(bytes: string): Property[] {
  return logicalLines(bytes).flatMap((line): Property[] => {
    const colon = colonOf(line)
    const name = NAME.exec(line)?.[1]?.toUpperCase()
    if (colon < 0 || name === undefined) return []
    const { values, types } = paramsOf(line.slice(line.indexOf(';') < 0 ? colon : Math.min(line.indexOf(';'), colon), colon))
    const encoding = values.get('ENCODING') ?? types.find((type) => type === 'quoted-printable' || type === 'base64') ?? ''
    if (BINARY.test(encoding)) return []
    const raw = line.slice(colon + 1)
    const value = textOf(encoding === 'quoted-printable' ? unquoted(raw) : raw, values.get('CHARSET'))
    const isPreferred = types.includes('pref') || values.get('PREF') === '1'
    return [{ name, types, isPreferred, isText: values.get('VALUE') !== 'uri', value: value.trim() }]
  })
}

/** The lines of a card with folded ones joined: by a leading blank, or by a final `=` of quoted-printable text. */
function logicalLines(bytes: string): string[] {
  const lines: string[] = []
  let isQuoted = false
  for (const line of bytes.split(/\r\n|\r|\n/)) {
    const last = lines.length - 1
    if (last >= 0 && isQuoted && lines[last]?.endsWith('=')) lines[last] = `${(lines[last] as string).slice(0, -1)}${line}`
    else if (last >= 0 && /^[ \t]/.test(line)) lines[last] += line.slice(1)
    else {
      lines.push(line)
      isQuoted = /^[^:]*quoted-printable[^:]*:/i.test(line)
    }
  }
  return lines
}

/** The colon between the name with its parameters and the value; one within quotes is part of a parameter. */
function colonOf(line: string): number {
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted
    else if (line[at] === ':' && !isQuoted) return at
  }
  return -1
}

/** Version 2.1 writes types without a name: `TEL;CELL;PREF`. */
function paramsOf(text: string): Params {
  const params: Params = { values: new Map(), types: [] }
  for (const part of text.match(/(?:"[^"]*"|[^;"])+/g) ?? []) {
    const [, name, value] = /^([\w-]+)=(.*)$/s.exec(part) ?? []
    const texts = (value ?? part).replaceAll('"', '').toLowerCase()
    if (name === undefined || name.toUpperCase() === 'TYPE') params.types.push(...texts.split(',').map((type) => type.trim()))
    else params.values.set(name.toUpperCase(), texts)
  }
  return params
}

/** Decodes quoted-printable text. An encoded semicolon is part of the text, and separates no components. */
const unquoted = (text: string) =>
  text.replace(/(?:\\|=5c)?=3b/gi, '\\;').replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Decodes bytes in their character set; without one, UTF-8 or, if they are not, Windows-1252. */
function textOf(bytes: string, charset: string | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII needs no decoding
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes
  const list = Uint8Array.from(bytes, (character) => character.charCodeAt(0))
  for (const encoding of [charset, 'utf-8', 'windows-1252'])
    try {
      if (encoding !== undefined) return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(list)
    } catch {
      // The next one.
    }
  return new TextDecoder('windows-1252').decode(list)
}

/** The parts of a structured value, such as a name or an address. */
export const componentsOf = (value: string): string[] => partsOf(value, ';')

/** The parts of a value between separators that are not escaped. */
export function partsOf(value: string, separator: ';' | ','): string[] {
  const parts = ['']
  for (const piece of value.match(/\\.|[^\\]/gs) ?? [])
    if (piece === separator) parts.push('')
    else parts[parts.length - 1] += piece
  return parts.map(unescaped)
}

export const unescaped = (value: string): string =>
  value.replace(/\\([\\,;:n])/gi, (_, sign: string) => (sign.toLowerCase() === 'n' ? '\n' : sign)).trim()
