/** A record of the labelled set; `person` says who it is about, and records of one person are duplicates. */
export type LabelledRecord = {
  person: number
  first_name: string
  last_name: string | null
  email: string | null
  phone: string | null
  landline: string | null
  date_of_birth: string | null
  address_line1: string | null
  city: string | null
  postal_code: string | null
  /** The number of the company. */
  company: number | null
}

const GIVEN = (
  'Olivia Amelia Isla Charlotte Ava Mia Grace Chloe Sophie Ruby Ella Zoe Hannah Lucy Noah Oliver Jack William Leo Henry Thomas Lucas ' +
  'Ethan James Hudson Max Isaac Samuel Daniel Patrick Nina Priya Mei Fatima Yuki Carlos Ahmed Dmitri Ngozi Hiroshi'
).split(' ')
const FAMILY = (
  'Smith Jones Williams Brown Wilson Taylor Johnson White Martin Anderson Thompson Nguyen Thomas Walker Harris Lee Ryan Robinson Kelly ' +
  'King Davis Wright Evans Roberts Green Hall Wood Jackson Clarke Patel Khan Singh Chen Rossi Novak Okafor ' +
  'Tanaka Garcia Muller Kowalski'
).split(' ')
const COMMON = [
  ['James', 'Smith'],
  ['Wei', 'Nguyen'],
  ['Maria', 'Garcia'],
  ['David', 'Jones'],
  ['Anna', 'Lee'],
] as const
const STREETS = 'Harbour Station Church Victoria George Beach Park Mill Bridge Queen'.split(' ')

/** A generator of numbers below `n`, the same in every run (Park and Miller, 1988). */
function numbers(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (state * 48_271) % 2_147_483_647
    return state % n
  }
}

/**
 * Contacts as several people keep them: half of the hundred true pairs have typing errors, changed addresses or transposed digits;
 * households, twins, namesakes and colleagues with one number are different people who look alike. It shares no code or word list with the
 * product.
 */
export function labelledPeople(seed = 20_261_124): LabelledRecord[] {
  const draw = numbers(seed)
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T
  const digits = (n: number) => Array.from({ length: n }, () => draw(10)).join('')
  const records: LabelledRecord[] = []
  let person = 0
  const somebody = (over: Partial<LabelledRecord> = {}): LabelledRecord => {
    const [first_name, last_name] = [pick(GIVEN), `${pick(FAMILY)}${draw(3) === 0 ? `-${pick(FAMILY)}` : ''}`]
    return {
      person: person++,
      first_name,
      last_name,
      email: `${first_name}.${last_name}${digits(3)}@mail${draw(9)}.example`.toLowerCase(),
      phone: `+614${digits(8)}`,
      landline: null,
      date_of_birth: `19${50 + draw(50)}-0${1 + draw(9)}-${10 + draw(18)}`,
      address_line1: `${1 + draw(200)} ${pick(STREETS)} Street`,
      city: 'Newcastle',
      postal_code: `2${digits(3)}`,
      company: null,
      ...over,
    }
  }
  const transposed = (text: string, at: number) => text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)
  const twiceDifferent = (text: string) =>
    [...Array(text.length - 1).keys()].findLast((at) => at > 3 && text[at] !== text[at + 1]) as number
  /** How the second record of a person differs from the first one. */
  const VARIANTS: ((one: LabelledRecord) => Partial<LabelledRecord>)[] = [
    (one) => ({ first_name: transposed(one.first_name, 1), email: null }),
    (one) => ({ last_name: `${one.last_name?.slice(0, -1)}`, phone: null }),
    () => ({ email: `new${digits(5)}@other.example` }),
    (one) => ({ email: `new${digits(5)}@other.example`, phone: null, first_name: one.first_name.toUpperCase() }),
    (one) => ({ phone: transposed(one.phone as string, twiceDifferent(one.phone as string)), email: null, date_of_birth: null }),
    (one) => ({ first_name: `${one.first_name[0]}.`, address_line1: null, postal_code: null }),
    (one) => ({ phone: null, email: null, date_of_birth: null, first_name: ` ${one.first_name.toLowerCase()}` }),
    () => ({ phone: `+614${digits(8)}`, address_line1: '9 New Road', postal_code: '3999' }),
    (one) => ({ first_name: one.last_name as string, last_name: one.first_name, phone: null }),
    () => ({ email: null, address_line1: '4 Moved Lane', postal_code: '4999', date_of_birth: null }),
  ]
  for (let n = 0; n < 100; n++) {
    const one = somebody()
    records.push(one, { ...one, ...VARIANTS[n % VARIANTS.length]?.(one) })
  }
  // Households: a name, an address and a number of the house; a third of them share a mobile number too.
  for (let n = 0; n < 30; n++) {
    const home = somebody({ landline: `+612${digits(8)}` })
    records.push(home)
    for (const first_name of new Set([pick(GIVEN), pick(GIVEN)].filter((name) => name !== home.first_name)))
      records.push(
        somebody({
          ...home,
          person: person++,
          first_name,
          email: somebody().email,
          date_of_birth: `20${10 + draw(10)}-05-05`,
          phone: n % 3 ? `+614${digits(8)}` : home.phone,
        }),
      )
  }
  // Twins: also the date of birth.
  for (let n = 0; n < 10; n++) {
    const one = somebody({ landline: `+612${digits(8)}` })
    records.push(one, { ...one, person: person++, first_name: pick(GIVEN.filter((name) => name[0] !== one.first_name[0])), email: null })
  }
  // Namesakes: different in everything else.
  for (const [first_name, last_name] of COMMON)
    for (let n = 0; n < 6; n++) records.push(somebody({ first_name, last_name, ...(n % 3 === 0 && { date_of_birth: null }) }))
  // Colleagues: the number of the company, as the mobile number or as the landline.
  for (let company = 0; company < 12; company++) {
    const line = `+612${digits(8)}`
    for (let n = 0; n < 4; n++)
      records.push(
        somebody({
          company,
          ...(company % 2 ? { phone: line } : { landline: line }),
          address_line1: `${company} Business Park`,
          postal_code: '2000',
          date_of_birth: null,
        }),
      )
  }
  return records
}
