import { type Crm, created, found, type Row } from '../routes/crm.ts'

/** Automations and their runs, in the workspace of `crm`. */
export function useAutomations(crm: Crm) {
  const settle = async () => {
    await crm.app.drain()
  }
  return {
    settle,
    /** A published automation. */
    async published(fields: Row, ws = crm.ws): Promise<Row> {
      const { id } = created(await ws.post('/automations', { name: `Automation ${crypto.randomUUID()}`, ...fields }))
      return found(await ws.post(`/automations/${id}/publish`))
    },
    /** The runs of an automation, oldest first, when everything under way has ended. */
    async runs(automation: string): Promise<Row[]> {
      await settle()
      return (found(await crm.ws.get(`/automation-runs?automation_id=${automation}`)) as Row[]).toReversed()
    },
    steps: async (run: string): Promise<Row[]> => found(await crm.ws.get(`/automation-runs/${run}/steps`)) as Row[],
    /** Lets the time of every wait of the workspace come. */
    async elapse(): Promise<void> {
      await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
      await crm.app.cron('* * * * *')
      await settle()
    },
  }
}
