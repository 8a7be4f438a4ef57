import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declarationOf, type DeclaredFunction } from '../../dev/sql-functions.ts'
import { root } from '../../dev/settings.ts'
import { useCrm } from '../routes/crm.ts'

const crm = useCrm()
const FILE = join(root, 'src/data/functions.ts')

/** What the Worker's roles may call, triggers and what extensions bring apart. */
const CALLABLE = `select p.proname as name, coalesce(p.proargnames, '{}') as names, p.pronargdefaults as defaults,
    array(select format_type(t, null) from unnest(p.proargtypes) with ordinality a(t, n) order by n) as types,
    case when p.proretset then 'rows' else format_type(p.prorettype, null) end as result
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    and (has_function_privilege('app', p.oid, 'execute') or has_function_privilege('jobs', p.oid, 'execute'))
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname, p.pronargs`

test('src/data/functions.ts declares what TypeScript calls (FUNCTIONS=write writes it)', async () => {
  const { rows } = await crm.app.owner.query<DeclaredFunction>(CALLABLE)
  const text = declarationOf(rows)
  if (process.env.FUNCTIONS === 'write') writeFileSync(FILE, text)
  expect(readFileSync(FILE, 'utf8')).toBe(text)
})

test('every call that is declared can be prepared', async () => {
  const { rows } = await crm.app.owner.query<DeclaredFunction>(CALLABLE)
  const failures: string[] = []
  for (const { name, types, defaults } of rows) {
    const least = types.slice(0, types.length - defaults)
    for (const some of new Set([least, types]))
      await crm.app.owner
        .query(`prepare declared as select ${name}(${some.map((_, n) => `$${n + 1}`).join(', ')}); deallocate declared`)
        .catch(({ message }) => failures.push(`${name}(${some}): ${message}`))
  }
  expect(failures).toEqual([])
})
