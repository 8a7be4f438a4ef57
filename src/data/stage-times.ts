import { type SQL, sql } from 'drizzle-orm'

/** How long an opportunity has been in its stage, for a row under an alias. `now()` is the time of the request. */
export const stageTimes = (of: SQL) => ({
  days_in_stage: sql<
    number | null
  >`floor(extract(epoch from greatest(now(), ${of}.stage_entered_at) - ${of}.stage_entered_at) / 86400)::int`,
  is_rotting: sql<boolean>`((${of}.status = 'open' and ${of}.stage_entered_at < now() - make_interval(days =>
    (select s.rotting_days from stages s where s.workspace_id = ${of}.workspace_id and s.id = ${of}.stage_id))) is true)`,
})
