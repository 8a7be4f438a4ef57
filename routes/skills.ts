import { Hono } from 'hono'
import { skills } from '../schema/index.ts'
import { runSkill } from '../src/features/models/plans/run-skill.ts'
import { createSkill, getSkill, listSkills, skillFields, updateSkill } from '../src/features/models/plans/skills.ts'
import { NewSkill, RunSkill, Skill, SkillPatch, SkillRun } from '../src/features/models/schemas/skills.ts'
import { finderIn, toolsIn } from '../src/http/operations.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { AGENT_OPS } from './paths.ts'

export const skillsRouter = new Hono<App>()
export const skillsApi = endpoints(skillsRouter, { path: AGENT_OPS.skills, tag: 'Skills' })

/** Loaded late, because the registry imports this file. */
const register = () => import('./index.ts').then(({ allEndpoints }) => allEndpoints())
const find = finderIn(register)

const NEEDS = 'Each of its tools must be an operation of this API whose scopes the key has: otherwise the error names the tool.'

resource(skillsApi, {
  name: 'skill',
  plural: 'skills',
  scope: 'agent-ops',
  table: skills,
  returns: Skill,
  computed: skillFields,
  list: {
    description: 'Lists the skills of the workspace, and the public ones of others, which have no `system_prompt`.',
    plan: listSkills,
  },
  get: { description: 'An own skill, or a public one.', plan: getSkill },
  create: {
    description: NEEDS,
    body: NewSkill,
    plan: (_ctx, input) => createSkill(input, find),
    errors: ['CONFLICT', 'INSUFFICIENT_SCOPE'],
  },
  update: {
    description: `Only a skill of the workspace can be changed. ${NEEDS}`,
    body: SkillPatch,
    plan: (ctx, id, patch) => updateSkill(ctx, id, patch, find),
  },
  remove: { description: 'Only a skill of the workspace can be deleted. Its runs stay in the log.', action: 'delete' },
  history: true,
})
skillsApi.post(
  '/run',
  {
    id: 'runSkill',
    summary: 'Run a skill',
    description:
      'Lets the model work with its tools until it answers, or reaches a limit: `max_steps`, credits, or 90 seconds. ' +
      'Tools are operations of this API, called with the key of the request. `input` names records by ids that stand alone; ' +
      'after a text was read, whoever has written it, the run changes only these records and sends only to their people, ' +
      'without addresses or links of its own: anything else waits in `/approvals`. So does every write of a public skill of another ' +
      'workspace. The most that the run may cost is reserved, and what it has not used is refunded. ' +
      'A run that fails keeps the effects of its calls, which `tool_calls` lists.',
    access: { scopes: ['agent-ops:write'], direct: true },
    body: RunSkill,
    returns: SkillRun,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'CHANNEL_NOT_CONFIGURED', 'INSUFFICIENT_CREDITS', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => runSkill(ctx, body, toolsIn(register, ctx)),
)
