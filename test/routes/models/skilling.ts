import { randomUUID } from 'node:crypto'
import type { TestWorkspace } from '../../workspace.ts'
import { created, found, type Row, type useCrm } from '../crm.ts'

type Crm = ReturnType<typeof useCrm>

/** Skills, whose conversations a marker tells apart, because files of one process share the emulator. */
export const skilling = (crm: Crm) => ({
  credits: (credits: number, ws: TestWorkspace = crm.ws) =>
    crm.app.owner.query('select grant_credits($1, $2, $3)', [ws.id, credits, randomUUID()]),
  balance: async (ws: TestWorkspace = crm.ws): Promise<{ balance: number; reserved: number }> => {
    const { balance, reserved } = found(await ws.get('/billing/credits'))
    return { balance, reserved }
  },
  async skill(fields: Row = {}, ws: TestWorkspace = crm.ws): Promise<Row & { id: string; marker: string }> {
    const marker = `marker-${randomUUID()}`
    const made = created(
      await ws.post('/skills', { name: `Skill ${marker}`, system_prompt: `Help. ${marker}`, status: 'active', ...fields }),
    )
    return { ...made, id: String(made.id), marker }
  },
  run: (skill: { id: string }, input: Row = {}, more: Row = {}, ws: TestWorkspace = crm.ws) =>
    ws.post('/skills/run', { skill_id: skill.id, input, ...more }),
})
