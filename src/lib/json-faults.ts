/** Where a text stops being JSON (RFC 8259): the index of the first character that does not fit, and what to do about it. */
export type JsonFault = { at: number; remedy: string }

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'end'

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[A-Za-z_$][\w$]*/y
const LITERALS = ['true', 'false', 'null']
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The end of the string that begins at `at`, or its fault. */
function endOfString(text: string, at: number): number | JsonFault {
  for (let next = at + 1; next < text.length; next++) {
    const character = text[next] as string
    if (character === '"') return next + 1
    if (character < ' ') return { at: next, remedy: 'write a line break or control character inside a text as \\n or \\u0000' }
    if (character === '\\') {
      const end = endOf(ESCAPE, text, next + 1)
      if (end === next + 1) return { at: next, remedy: 'write a backslash inside a text as \\\\' }
      next = end - 1
    }
  }
  return { at: text.length, remedy: 'the body ends inside a text: close it with a double quote' }
}

/** Finds the first fault of a text that JSON.parse refuses. Takes time in proportion to the text; nesting costs no stack. */
export function jsonFault(text: string): JsonFault {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let afterComma = false
  for (let at = endOf(SPACE, text, 0); ; at = endOf(SPACE, text, at)) {
    const character = text[at]
    const inside = open.at(-1)
    if (character === undefined) return { at, remedy: unfinished(open, expected) }
    if (character === '}' || character === ']') {
      if (afterComma) return { at, remedy: `remove the comma before ${character}` }
      const fits = expected.endsWith('or end') && inside === (character === '}' ? '{' : '[')
      if (!fits) return { at, remedy: `${character} closes nothing here` }
      open.pop()
      expected = open.length > 0 ? 'comma or end' : 'end'
      at++
      continue
    }
    afterComma = false
    if (expected === 'end') return { at, remedy: 'remove what follows the first value' }
    if (expected === 'colon') {
      if (character !== ':') return { at, remedy: 'write a colon between a name and its value' }
      expected = 'value'
      at++
    } else if (expected === 'comma or end') {
      if (character !== ',') return { at, remedy: 'write a comma between two values, or close the bracket before' }
      expected = inside === '{' ? 'name or end' : 'value or end'
      afterComma = true
      at++
    } else if (character === '"') {
      const end = endOfString(text, at)
      if (typeof end === 'object') return end
      at = end
      expected = expected.startsWith('name') ? 'colon' : following(open)
    } else if (expected.startsWith('name')) return { at, remedy: 'write names in double quotes' }
    else if (character === '{' || character === '[') {
      open.push(character)
      expected = character === '{' ? 'name or end' : 'value or end'
      at++
    } else {
      const end = endOfPlain(text, at)
      if (typeof end === 'object') return end
      at = end
      expected = following(open)
    }
  }
}

const following = (open: unknown[]): Expected => (open.length > 0 ? 'comma or end' : 'end')

function endOfPlain(text: string, at: number): number | JsonFault {
  const end = Math.max(endOf(NUMBER, text, at), endOf(WORD, text, at))
  const written = text.slice(at, end)
  if (end > at && (LITERALS.includes(written) || !/^[A-Za-z_$]/.test(written))) return end
  if (text[at] === "'") return { at, remedy: 'write texts in double quotes, not in single ones' }
  if (text.startsWith('//', at) || text.startsWith('/*', at)) return { at, remedy: 'remove the comment' }
  const literal = LITERALS.find((one) => one === written.toLowerCase()) ?? (written === 'None' ? 'null' : undefined)
  return { at, remedy: literal ? `write ${literal}` : 'write a text in double quotes, a number, true, false, null, { or [' }
}

function unfinished(open: ('{' | '[')[], expected: Expected): string {
  const inside = open.at(-1)
  if (!inside) return 'the body is empty'
  if (expected === 'value' || expected === 'colon') return 'the body ends before a value'
  return `the body ends before ${inside} is closed: add ${inside === '{' ? '}' : ']'}`
}

/** The line and the column of an index, both from 1. */
export function placeIn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: at - start + 1 }
}
