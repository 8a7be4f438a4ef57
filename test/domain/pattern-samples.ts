/** What a set of characters stands for in a sample: the first character that it names. */
const OF_CLASS: Record<string, string> = {
  s: ' ',
  d: '0',
  w: 'a',
  S: 'x',
  D: 'x',
  W: ' ',
  p: 'a',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '',
  B: '',
  k: '',
}

function escaped(source: string, at: number): { text: string; next: number } {
  const sign = source[at + 1] as string
  if (/[pP]/.test(sign)) return { text: sign === 'p' ? 'a' : ' ', next: source.indexOf('}', at) + 1 }
  if (sign === 'k') return { text: '', next: source.indexOf('>', at) + 1 }
  if (sign === 'x' || sign === 'u') {
    const code = /^(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\})/i.exec(source.slice(at + 1))
    if (code)
      return { text: String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '20', 16)), next: at + 1 + code[0].length }
  }
  return { text: OF_CLASS[sign] ?? (/\d/.test(sign) ? '' : sign), next: at + 2 }
}

/** Characters that a set has: those that it names, or one that it does not exclude. */
function ofSet(source: string, at: number): { texts: string[]; next: number } {
  const isExcluding = source[at + 1] === '^'
  const texts: string[] = []
  let next = at + (isExcluding ? 2 : 1)
  while (next < source.length && source[next] !== ']') {
    const one = source[next] === '\\' ? escaped(source, next) : { text: source[next] as string, next: next + 1 }
    texts.push(one.text)
    next = one.next
  }
  const named = texts.filter((text) => text !== '')
  const candidates = ['a', ' ', '0', '"', '<', '.', '=', '[']
  return { texts: isExcluding ? candidates.filter((text) => !named.includes(text)).slice(0, 4) : named.slice(0, 6), next: next + 1 }
}

/** The parts of a pattern from a place on, each as the texts that it may begin with; up to the end of the group. */
function partsFrom(source: string, from: number): { parts: string[][]; next: number } {
  const branches: string[][][] = [[]]
  let at = from
  while (at < source.length && source[at] !== ')') {
    const sign = source[at] as string
    let texts: string[] | undefined
    if (sign === '|') {
      branches.push([])
      at += 1
    } else if ('^$'.includes(sign)) at += 1
    else if (/[*+?]/.test(sign)) at += 1
    else if (sign === '{' && /^\{\d+(,\d*)?\}/.test(source.slice(at))) at = source.indexOf('}', at) + 1
    else if (sign === '(') {
      const opens = /^\((?:\?(?:<?[=!]|:|<\w+>))?/.exec(source.slice(at))?.[0] as string
      const group = partsFrom(source, at + opens.length)
      if (!/[=!]$/.test(opens)) texts = group.parts.flat().slice(0, 8)
      at = group.next + 1
    } else if (sign === '[') {
      const set = ofSet(source, at)
      ;[texts, at] = [set.texts, set.next]
    } else if (sign === '\\') {
      const one = escaped(source, at)
      ;[texts, at] = [one.text === '' ? undefined : [one.text], one.next]
    } else {
      texts = [sign === '.' ? 'a' : sign]
      at += 1
    }
    if (texts && texts.length > 0) branches.at(-1)?.push(texts)
  }
  if (branches.length === 1) return { parts: branches[0] as string[][], next: at }
  const joined = branches.map((parts) => parts.map(([first]) => first).join('')).filter((text) => text !== '')
  return { parts: [[...joined, ...branches.flatMap((parts) => parts[0] ?? [])]], next: at }
}

/** Openings of what a pattern matches: its first parts, one more each time, and each of its parts alone. */
export function samplesOf(source: string): string[] {
  const { parts } = partsFrom(source, 0)
  const firsts = parts.map(([first]) => first as string)
  const openings = firsts.map((_, at) => firsts.slice(0, at + 1).join('')).slice(0, 12)
  return [...new Set([...openings, ...parts.flat().slice(0, 24)])].filter((text) => text !== '')
}
