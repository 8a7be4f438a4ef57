// biome-ignore lint/suspicious/noControlCharactersInRegex: they need more than the escapes of XML
const ODD = /[\x01-\x1f\ufffe\uffff]|^[ \u00a0\u3000]|[ \u00a0\u3000]$|_x[0-9A-Fa-f]{4}_/
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const hex = (character: string) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

/**
 * A text in the XML of a workbook. Characters that XML cannot have, and a carriage return, are `_xHHHH_`, and so is the beginning of a text
 * of that form.
 */
export const xmlText = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>]/g, (character) => ENTITIES[character] as string)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
    .replace(/[\x01-\x08\x0b-\x1f\ufffe\uffff]/g, hex)

/** A cell of a text, written as `xlsx_text` writes it, with a style by its number in the styles of the workbook. */
export function textCell(text: string | null, style?: number): string {
  const styled = style === undefined ? '' : ` s="${style}"`
  if (text === null) return `<c${styled}/>`
  if (ODD.test(text)) return `<c${styled} t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
  return `<c${styled} t="str"><v>${xmlText(text)}</v></c>`
}
