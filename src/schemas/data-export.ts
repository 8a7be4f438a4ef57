import * as v from 'valibot'
import { named } from './common.ts'
import { Id } from './fields.ts'

/** Of each kind, at most so many rows. */
export const MOST_ROWS = 1000

const Row = v.record(v.string(), v.unknown())
const Rows = v.array(Row)
const Linked = v.array(v.object({ id: Id, name: v.string() }))

export const PersonData = named(
  'PersonData',
  v.object({
    contact: v.pipe(Row, v.description('The contact, every field.')),
    records: v.pipe(
      v.record(v.string(), Rows),
      v.description('Everything that refers to the contact, by kind: employers, links to opportunities, activities, tasks, stakeholders.'),
    ),
    companies: v.pipe(Linked, v.description('The companies that these name.')),
    opportunities: v.pipe(Linked, v.description('The opportunities that these name.')),
    attachments: v.pipe(Rows, v.description('The files on those opportunities: what they are, not what is in them.')),
    history: v.pipe(Rows, v.description('The changes of the contact and of those merged into it, field by field, with who made them.')),
    events: Rows,
    approvals: v.pipe(
      Rows,
      v.description('Held requests that name the contact, or an address or number that only it has, with what each would change of it.'),
    ),
    journals: v.pipe(v.record(v.string(), Rows), v.description('What is noted about the contact elsewhere, by kind.')),
    truncated: v.pipe(v.array(v.string()), v.description(`The kinds that have more than ${MOST_ROWS} rows, of which the latest are here.`)),
  }),
)
