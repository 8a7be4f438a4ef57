import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id } from '../../../schemas/fields.ts'

/** The maximum number of rows of each kind. */
export const MOST_ROWS = 1000

const Row = v.record(v.string(), v.unknown())
const Rows = v.array(Row)
const Linked = v.array(v.object({ id: Id, name: v.string() }))

export const PersonData = named(
  'PersonData',
  v.object({
    contact: v.pipe(Row, v.description('The contact with all of its fields.')),
    records: v.pipe(
      v.record(v.string(), Rows),
      v.description(
        'All records that refer to the contact, by kind: employers, links to opportunities, activities, tasks, stakeholders, files.',
      ),
    ),
    companies: v.pipe(Linked, v.description('The companies that these records refer to.')),
    opportunities: v.pipe(Linked, v.description('The opportunities that these records refer to.')),
    attachments: v.pipe(Rows, v.description('The files attached to those opportunities, without their content.')),
    campaign_clicks: v.pipe(
      Rows,
      v.description(
        'The links of campaigns that the contact has followed, each with its campaign, its address and the time of the first click. ' +
          'When a campaign was opened is in `records.campaign_recipients`.',
      ),
    ),
    history: v.pipe(
      Rows,
      v.description('The changes to the contact and to contacts merged into it, field by field, with the user who made them.'),
    ),
    events: Rows,
    approvals: v.pipe(
      Rows,
      v.description(
        'Approvals whose request mentions the contact, or an address or number that only this contact has, ' +
          'with the changes to the contact.',
      ),
    ),
    journals: v.pipe(v.record(v.string(), Rows), v.description('Entries about the contact in log tables, by kind.')),
    truncated: v.pipe(
      v.array(v.string()),
      v.description(`The kinds with more than ${MOST_ROWS} rows, of which only the latest are included.`),
    ),
  }),
)
