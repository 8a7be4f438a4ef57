import type pg from 'pg'

/** Privileges are in the order in which they were granted. */
const sorted = (acl: string) => `(select array_agg(a::text order by a::text) from unnest(${acl}) a)`

/** What a database consists of, a line for each part, apart from the order of columns and the bounds of partitions. */
const PARTS = `
  select format('table %s rls=%s forced=%s options=%s acl=%s', c.relname, c.relrowsecurity, c.relforcerowsecurity,
    c.reloptions, ${sorted('c.relacl')})
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  union all select format('column %s.%s %s notnull=%s default=%s generated=%s options=%s acl=%s', c.relname, a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated,
        a.attoptions, ${sorted('a.attacl')})
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'c')
  union all select format('constraint %s %s %s %s', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = 'public'::regnamespace
  union all select format('index %s valid=%s', pg_get_indexdef(i.indexrelid), i.indisvalid)
    from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace
  union all select format('policy %s %s %s %s %s using %s check %s', tablename, policyname, permissive, roles, cmd, qual, with_check)
  from pg_policies
  union all select format('trigger %s', pg_get_triggerdef(t.oid)) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
  union all select format('function %s acl=%s config=%s %s', p.oid::regprocedure, ${sorted('p.proacl')}, p.proconfig,
      case p.prokind when 'a' then 'aggregate' else md5(pg_get_functiondef(p.oid)) end)
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

export async function catalogueOf(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query({ text: PARTS, rowMode: 'array' })
  return rows.map(([line]) => line as string).sort()
}
