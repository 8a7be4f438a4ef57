/** Weights of a text's features: whole words say most, pairs of words and parts of words tell similar texts apart. */
const [WORD, PAIR, TRIGRAM] = [1, 0.6, 0.15]
/** Words that every text has, which say little about it. */
const COMMON = new Set(
  (
    'a an and are as at be by can do for from has have how i if in into is it its my no not of on or our so that the their then there ' +
    'this to was we were what when where which who will with you your'
  ).split(' '),
)
const COMMON_WEIGHT = 0.15

/** FNV-1a, which is the same on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}

/**
 * A vector of length 1 that depends on nothing but the text: its words, pairs of words and parts of words, each at a place and with a sign
 * that its hash says. Texts that share words are near each other; it knows no meanings.
 */
export function hashedVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  const add = (feature: string, weight: number) => {
    const value = hash(feature)
    vector[value % dimensions]! += value & 0x80000000 ? weight : -weight
  }
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const counts = new Map<string, number>()
  const count = (feature: string, weight: number) => counts.set(feature, (counts.get(feature) ?? 0) + weight)
  words.forEach((word, index) => {
    const weight = COMMON.has(word) ? COMMON_WEIGHT : 1
    count(`w ${word}`, WORD * weight)
    const next = words[index + 1]
    if (next !== undefined) count(`p ${word} ${next}`, PAIR * Math.min(weight, COMMON.has(next) ? COMMON_WEIGHT : 1))
    for (let at = 0; at + 3 <= word.length; at++) count(`t ${word.slice(at, at + 3)}`, TRIGRAM * weight)
  })
  for (const [feature, weight] of counts) add(feature, Math.sqrt(weight))
  if (counts.size === 0) add('empty', 1)
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
