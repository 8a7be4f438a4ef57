import { describe, expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'
import { labelledPeople } from './people-sample.ts'

const crm = useCrm()

/** The pairs of a whole list. */
async function proposals(kind: string, query = ''): Promise<[string, string][]> {
  const pairs: [string, string][] = []
  let after = ''
  do {
    const answer = await crm.ws.get(`/${kind}/duplicates?limit=100${query}${after && `&after=${after}`}`)
    for (const { record, candidates } of found(answer) as Row[])
      pairs.push(...candidates.map((candidate: Row) => [record.id, candidate.record.id]))
    after = answer.body.page.next ?? ''
  } while (after)
  return pairs
}

/** Precision: how many of the proposed pairs are right; recall: how many of the labelled pairs are proposed. */
function quality(pairs: [string, string][], labels: Map<string, string>) {
  const sizes = Map.groupBy(labels.values(), (label) => label)
  const right = [...sizes.values()].reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0)
  const good = pairs.filter(([a, b]) => labels.get(a) === labels.get(b)).length
  return { proposed: pairs.length, precision: good / pairs.length, recall: good / right }
}

describe('of a labelled set of contacts', () => {
  test('most proposals are right, and most duplicates are proposed', async () => {
    const companies: string[] = []
    for (let n = 0; n < 12; n++) companies.push(await crm.company(`Employer ${n}`))
    const people = labelledPeople().map(({ company, ...one }) => ({ ...one, customer_id: company === null ? null : companies[company] }))
    const columns = 'first_name, last_name, email, phone, landline, date_of_birth, address_line1, city, postal_code, customer_id'
    const { rows } = await crm.app.owner.query(
      `insert into contacts (workspace_id, ${columns}, external_id)
        select $1, ${columns}, n || ' ' || (p ->> 'person')
          from jsonb_array_elements($2) with ordinality e(p, n), jsonb_populate_record(null::contacts, p) r
        returning id, external_id`,
      [crm.ws.id, JSON.stringify(people)],
    )
    const labels = new Map<string, string>(rows.map(({ id, external_id }) => [id, external_id.split(' ')[1]]))
    const pairs = await proposals('contacts')
    const result = quality(pairs, labels)
    // bench/README.md has the figures, and those of the score without contrary values.
    expect(result.precision).toBeGreaterThan(0.95)
    expect(result.recall).toBeGreaterThan(0.95)
  })
})
