// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Row = Record<string, any>

/** Reads leads, initiatives and their steps as the events of their changes show them. */
export const leadReaders = (
  get: (path: string) => Promise<Row | undefined>,
): Record<string, (record: Row) => Promise<Row | undefined>> => ({
  lead_result: ({ id }) => get(`/lead-gen/results/${id}`),
  async lead_initiative({ id }) {
    const found = await get(`/lead-gen/initiatives/${id}`)
    if (found) delete found.steps
    return found
  },
  async lead_initiative_step({ id, initiative_id }) {
    const found = (await get(`/lead-gen/initiatives/${initiative_id}`))?.steps.find((step: Row) => step.id === id)
    if (found) delete found.automation
    return found
  },
})
