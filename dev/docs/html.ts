/** Markup that is already escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type Value = Html | string | number | false | null | undefined | Value[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string)

/** A template whose values are escaped, unless they are Html themselves. False, null and undefined render nothing. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part))

function render(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return value === false || value === null || value === undefined ? '' : escapeHtml(String(value))
}
