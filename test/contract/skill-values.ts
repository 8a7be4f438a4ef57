import type { Ids } from './samples.ts'

/** What ending and deleting runs costs with nothing due (flat-cost.test.ts). */
export const SKILLS_IN_BACKGROUND = {
  end_lost_runs: () => 'end_lost_runs(100)',
  expire_skill_runs: () => 'expire_skill_runs()',
  expire_auto_replies: () => 'expire_auto_replies()',
}

const used = new Map<string, number>()
/**
 * The email config of the next auto responder of a workspace: first that of the seeded one, then that of the deleted one, then one of the
 * others.
 */
function configOf(configs: string | undefined): string | undefined {
  if (configs === undefined) return undefined
  const all = configs.split(' ')
  const n = used.get(configs) ?? 0
  used.set(configs, n + 1)
  return all[n < 2 ? n : 2 + (n % (all.length - 2))]
}

/** Bodies of calls about skills: the sample skill answers with a text, and a run is about a contact. */
export const SKILL_OVER = {
  'POST /auto-responders': ({ responder_configs }: Ids) => ({
    body: { identity_kind: 'email_config', identity_ref: configOf(responder_configs) },
  }),
  'POST /skills': () => ({ body: { output_schema: null } }),
  'POST /skills/run': (ids: Ids) => ({ body: { skill_id: ids.skill_id, name: undefined, input: { contact_id: ids.contact_id } } }),
}
