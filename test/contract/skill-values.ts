import type { Ids } from './samples.ts'

/** What ending and deleting runs costs with nothing due (flat-cost.test.ts). */
export const SKILLS_IN_BACKGROUND = {
  end_lost_runs: () => 'end_lost_runs(100)',
  expire_skill_runs: () => 'expire_skill_runs()',
}

/** Bodies of calls about skills: the sample skill answers with a text, and a run is about a contact. */
export const SKILL_OVER = {
  'POST /skills': () => ({ body: { output_schema: null } }),
  'POST /skills/run': (ids: Ids) => ({ body: { skill_id: ids.skill_id, name: undefined, input: { contact_id: ids.contact_id } } }),
}
