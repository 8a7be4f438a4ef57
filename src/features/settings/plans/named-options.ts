import { type SQL, sql } from 'drizzle-orm'
import { mapResult, type Query, WithWarnings } from '../../../data/query.ts'

/** Something that names an option in its filter, conditions or steps. */
type Namer = { type: string; id: string; name: string }

/** What is looked at of each kind, and the most that a warning lists. */
const LOOKED_AT = 500
const MOST = 20

/**
 * A column with what still names an option that is now another one, as far as the caller may read it. `key` is that of the custom field
 * whose option it is.
 */
export const namingOption = (option: SQL, becomes: SQL = sql`null::text`, key: SQL = sql`null::text`) =>
  sql<Namer[]>`(select coalesce(json_agg(n), '[]') from naming_option(case
    when norm(${option}::text) is distinct from norm(${becomes}) then ${option}::text end,
    ${key}, ${LOOKED_AT}::int, ${MOST + 1}::int) n)`.as('naming')

/** The result, with a warning about `field` of the request if there is something that names the option. */
export const withNaming = <Row extends { naming: Namer[] }>(result: Query<Row>, option: string, field = 'from') =>
  mapResult(result, ({ naming, ...row }) => new WithWarnings(row, naming.length > 0 ? [stillNamed(option, field, naming)] : []))

const stillNamed = (option: string, field: string, naming: Namer[]) => ({
  code: 'STILL_NAMED',
  field,
  message: `Filters, conditions and steps are not changed, and some still name “${option}”: change it in those of details.named_by`,
  details: { named_by: naming.slice(0, MOST), more: naming.length > MOST },
})
