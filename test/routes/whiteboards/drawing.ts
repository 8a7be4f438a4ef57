import { created, found, type Row, type useCrm } from '../crm.ts'

export const box = (id: string, more: Row = {}) => ({ id, type: 'rectangle', x: 0, y: 0, width: 160, height: 80, ...more })
/** Boxes in rows, with ids that begin so. */
export const boxes = (count: number, prefix = 'box') =>
  Array.from({ length: count }, (_, at) => box(`${prefix}-${at}`, { x: (at % 100) * 200, y: Math.floor(at / 100) * 120 }))

/** Whiteboards of the workspace of a test. */
export const useBoards = (crm: ReturnType<typeof useCrm>) => ({
  board: async (fields: Row = {}) => created(await crm.ws.post('/whiteboards', { name: 'Sketch', ...fields })),
  get: async (id: string) => found(await crm.ws.get(`/whiteboards/${id}`)),
  put: (id: string, elements: unknown, more: Row = {}, headers?: Record<string, string>) =>
    crm.ws.put(`/whiteboards/${id}/content`, { elements, ...more }, headers),
  add: (id: string, elements: unknown, headers?: Record<string, string>) =>
    crm.ws.post(`/whiteboards/${id}/elements`, { elements }, headers),
  versions: async (id: string) => found(await crm.ws.get(`/whiteboards/${id}/versions`)),
})

export const idsOf = ({ elements }: Row): string[] => elements.map(({ id }: Row) => id)
