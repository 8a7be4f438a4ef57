import type { Row } from './csv.ts'
import { cutLoops } from './hierarchy.ts'
import { isNew } from './read-catalogue.ts'
import { EMAIL_DOMAIN, type Member } from './sales.ts'
import { normalise, toEmail } from './values.ts'

interface Team {
  members: Member[]
  /** By the normalised name that other files use. */
  byName: Map<string, Member>
}

type Found = Map<string, { member: Member; row: Row }>

/** Sellers and their managers, who become members. A person who is both becomes one member. */
export function readTeams(rows: Row[]): Team {
  const found: Found = new Map()
  const sellers = rows.filter((row) => {
    const name = row.text('sales_agent')
    return (
      isNew(row, 'sales_agent', name, found.get(normalise(name))?.row) &&
      add(found, row, 'sales_agent', name, 'Sales agent', row.text('regional_office') || null)
    )
  })
  for (const row of sellers) {
    row.missing('manager', 'regional_office')
    setManager(found, row)
  }
  const all = [...found.values()]
  const members = all.map(({ member }) => member)
  const byKey = new Map(all.map(({ member, row }) => [member.key, row]))
  cutLoops(members, ({ key }) => byKey.get(key)?.note('manager', 'kept without', 'members who manage each other in a circle'))
  return { members, byName: new Map([...found].map(([name, { member }]) => [name, member])) }
}

/** Whether an unused address could be derived from the name. */
function add(found: Found, row: Row, field: string, name: string, job_title: string, office: string | null): boolean {
  const key = toEmail(name, EMAIL_DOMAIN)
  const taken = [...found.values()].some(({ member }) => member.key === key)
  if (!key || taken) {
    row.note(
      field,
      field === 'manager' ? 'kept without' : 'skipped',
      taken ? 'another member has the address made of this name' : 'no address can be made of this name',
      name,
    )
    return false
  }
  found.set(normalise(name), { member: { place: row, key, parent: null, full_name: name, job_title, office }, row })
  return true
}

function setManager(found: Found, row: Row): void {
  const seller = found.get(normalise(row.text('sales_agent')))!.member
  const name = row.text('manager')
  if (name === '') return
  if (!found.has(normalise(name)) && !add(found, row, 'manager', name, 'Sales manager', seller.office)) return
  const manager = found.get(normalise(name))!.member
  if (manager === seller) {
    row.note('manager', 'kept without', 'the seller’s own name', name)
    return
  }
  manager.job_title = 'Sales manager'
  seller.parent = manager.key
  // The office of a manager with teams in several offices is unknown, unless the manager has a line with one.
  const isSeller = found.get(normalise(name))!.row.text('sales_agent') === manager.full_name
  if (!isSeller && manager.office !== seller.office) manager.office = null
}
