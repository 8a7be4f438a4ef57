/** The first digits of the scripts in which people type numbers. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966]

/** A PIN as it was typed: without spaces and hyphens, and with the digits of any of these scripts. Undefined if it cannot be one. */
export function readPin(typed: string): string | undefined {
  const digits = [...typed.normalize('NFKC').replace(/[\s\p{Cf}\p{Pd}]/gu, '')].map((character) => {
    const code = character.codePointAt(0) as number
    const zero = ZEROS.find((first) => code >= first && code < first + 10)
    return zero === undefined ? '' : String(code - zero)
  })
  return digits.length === 6 && !digits.includes('') ? digits.join('') : undefined
}
