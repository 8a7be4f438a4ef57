/** The width of generated SQL, and how further lines of a list begin. */
const WIDEST = 130
const INDENT = '      '

/** The parts with commas between them, in lines that are not too long. */
export function filled(before: string, parts: readonly string[], after: string): string {
  const lines = [before]
  for (const [at, part] of parts.entries()) {
    const next = at === parts.length - 1 ? `${part}${after}` : `${part},`
    const line = lines.pop() as string
    lines.push(...(line.length + next.length > WIDEST ? [line, INDENT + next] : [line + next]))
  }
  return lines.join('\n')
}

export type Value = string | number | object
const escaped = (text: string) => text.replaceAll("'", "''")

/** A part that is too long for a line goes on in a second literal, which belongs to the first. */
function continued(part: string): string {
  if (part.length + INDENT.length <= WIDEST) return part
  const [first] = /^.*[ ,]/.exec(part.slice(0, WIDEST - INDENT.length)) ?? [part]
  return `${first}'\n${INDENT}'${part.slice(first.length)}`
}

function caseOf([key, value]: [string, Value]): string {
  const when = `    when '${escaped(key)}' then`
  if (typeof value === 'number') return `${when} ${value}`
  if (typeof value === 'string') return `${when}${when.length + value.length > WIDEST ? `\n${INDENT}` : ' '}'${escaped(value)}'`
  const parts = Object.entries(value).map(([name, part]) => continued(escaped(`${JSON.stringify(name)}:${JSON.stringify(part)}`)))
  return filled(`${when} '{`, parts, "}'::jsonb")
}

/** A function from one of the keys to its value; null for any other. */
export function lookup(comment: string, name: string, type: string, entries: [string, Value][]): string {
  const cases = entries.map(caseOf)
  return `-- ${comment}
create or replace function ${name}(p_key text) returns ${type} immutable parallel safe language sql
  return case p_key
${cases.join('\n')} end${type.endsWith('[]') ? `::${type}` : ''};
`
}

/** A generated file of functions. */
export const generated = (from: string, ...functions: string[]) =>
  [`-- Generated from ${from}: \`CONSTANTS=write npx vitest run test/contract/sql-constants.test.ts\` writes it.\n`, ...functions].join(
    '\n',
  )
