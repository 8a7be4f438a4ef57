import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { calledFunctions, type DeclaredFunction, declarationOf } from '../../dev/sql-functions.ts'
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

/** The functions that TypeScript calls. */
async function declared(): Promise<DeclaredFunction[]> {
  const names = calledFunctions()
  const { rows } = await crm.app.owner.query<DeclaredFunction>(CALLABLE)
  return rows.filter(({ name }) => names.has(name))
}

test('src/data/functions.ts declares what TypeScript calls (FUNCTIONS=write writes it)', async () => {
  const text = declarationOf(await declared())
  if (process.env.FUNCTIONS === 'write') writeFileSync(FILE, text)
  expect(readFileSync(FILE, 'utf8')).toBe(text)
})

test('every call that is declared can be prepared', async () => {
  const functions = await declared()
  expect(functions.length).toBeGreaterThan(300)
  const failures: string[] = []
  for (const { name, types, defaults } of functions)
    for (const some of new Set([types.slice(0, types.length - defaults), types]))
      await crm.app.owner
        .query(`prepare declared as select ${name}(${some.map((_, n) => `$${n + 1}`).join(', ')}); deallocate declared`)
        .catch(({ message }) => failures.push(`${name}(${some}): ${message}`))
  expect(failures).toEqual([])
})

test('a statement that is only the call of a function names it by `call`', () => {
  const value = '(?:\\$\\{\\w+\\}(?:::\\w+(?:\\[\\])?)?|null(?:::\\w+)?)'
  const alone = new RegExp(
    `sql\`\\s*select (?!set_config|current_setting|to_json|json_)([a-z_]+)\\((?:${value}(?:, ${value})*)?\\)\\s*\``,
    'g',
  )
  const folders = ['src', 'routes', 'queues', 'cron', 'objects']
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(join(root, folder, file), 'utf8').matchAll(alone)].map(([text]) => `${folder}/${file}: ${text}`)),
  )
  expect(found).toEqual([])
})
