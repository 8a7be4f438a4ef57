import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toE164 } from '../../../domain/phone.ts'
import { countryCode } from '../../../domain/time-zones.ts'
import { isId } from '../../../lib/ids.ts'
import { looseForm } from '../../../lib/text.ts'
import { ADOPTED_BY, BEST, IDENTIFIERS, type MatchField } from '../rules/types.ts'
import type { Job, Reader } from './job.ts'
import type { Key, Line } from './lines.ts'

/**
 * `keys`: the values that the line's record is found by, that of match_by, or the best identifier that the line has. `identifiers`: all
 * that another line may find this record by.
 */
export function keysOf(job: Reader, line: Line, country: string | null): Pick<Line, 'keys' | 'identifiers'> {
  const keyBy = (by: MatchField): Key | undefined => {
    const text = keyOf(line, by, country)
    return text === undefined ? undefined : { by, text, archived: line.input.archived === true }
  }
  const isFilled = (by: MatchField) => job.filled.some(({ field }) => field.name === by)
  if (job.match_by === null) return { keys: [], identifiers: [] }
  const fields = job.match_by === BEST ? IDENTIFIERS[job.object].filter(isFilled) : [job.match_by as MatchField]
  const found = fields.flatMap((by) => keyBy(by) ?? [])
  const [best] = found
  const identifiers = found.map(({ text }) => text)
  if (job.match_by !== BEST) return { keys: found, identifiers }
  const adopter = best?.by === 'external_id' || best?.by === 'id' ? ADOPTED_BY[job.object] : undefined
  const adopted = adopter && keyBy(adopter)
  return { keys: [...(best ? [best] : []), ...(adopted ? [{ ...adopted, adopts: true as const }] : [])], identifiers }
}

function keyOf(line: Line, by: MatchField, country: string | null): string | undefined {
  const value = line.input[by] ?? undefined
  if (value === undefined) return undefined
  const text = String(value)
  switch (by) {
    case 'id':
      if (!isId(text)) line.faults.push({ field: 'id', message: 'must be the id of a record: a UUID' })
      return text.toLowerCase()
    case 'email':
      return toEmailAddress(text) ?? text.toLowerCase()
    case 'phone':
      return toE164(text, (country && countryCode(country)) || DEFAULT_COUNTRY.code) ?? text
    default:
      return text
  }
}

/** Whether a record can have the value of a key. */
const isPossible = ({ by, text }: Key): boolean => by !== 'email' || toEmailAddress(text) !== undefined

/** The keys of a line by which it finds a record, or another line finds its record. */
const usableKeys = ({ keys, faults }: Line): Key[] => (faults.length > 0 ? [] : keys.filter(isPossible))

/**
 * The names by which a later line may refer to a record of this line: its identifiers and, for a company, its name and that of its parent,
 * which may be created with it. A line with faults writes nothing.
 */
export function namesOf({ object }: Job, line: Line): string[] {
  const { input, references, faults, identifiers } = line
  if (faults.length > 0) return []
  const ofCompany = object === 'companies' ? [input.name, input.external_id, ...references.map(({ text }) => text)] : []
  const names = [...identifiers, ...ofCompany]
  return names.filter((name) => typeof name === 'string').map(looseForm)
}

/** The names of earlier lines' records that this line depends on. */
export function dependenciesOf({ object }: Job, line: Line): string[] {
  const companies = object === 'companies' ? line.references.filter(({ to }) => to === 'company').map(({ text }) => text) : []
  return [...usableKeys(line).map(({ text }) => text), ...companies].map(looseForm)
}
