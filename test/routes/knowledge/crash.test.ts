import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { deaths } from '../../deaths.ts'
import { limit } from '../../speed.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const { everywhere, vars } = await deaths(() => crm.app)
const crm = useCrm({ ownServer: true, seldomLogs: true, vars })
beforeEach(() => crm.app.clearEmulators())

const bases = async () => found(await crm.ws.get('/knowledge-bases')) as Row[]
const once = () => ({ 'idempotency-key': randomUUID() })

test('a base that is made at the voice provider is there and here, or nowhere', { timeout: limit(240_000) }, async () => {
  const life = {
    async prepare() {
      crm.app.voice.clear()
      return { name: randomUUID(), key: once() }
    },
    act: ({ name, key }: { name: string; key: Row }) => crm.ws.post('/agent-knowledge-bases', { name }, key),
    async again({ name, key }: { name: string; key: Row }) {
      const repeated = await crm.ws.post('/agent-knowledge-bases', { name }, key)
      expect([201, 409]).toContain(repeated.status)
      if (repeated.status === 201) return
      expect([(await bases()).filter((one) => one.name === name), crm.app.voice.knowledge.bases]).toEqual([[], []])
      created(await crm.ws.post('/agent-knowledge-bases', { name }))
    },
    async check({ name }: { name: string }) {
      const [made, ...others] = (await bases()).filter((one) => one.name === name)
      expect(others).toEqual([])
      const copy = found(await crm.ws.get(`/agent-knowledge-bases/${made?.id}`))
      expect(copy).toMatchObject({ status: 'ready', is_kept: true, error: null })
      expect(crm.app.voice.knowledge.bases.map(({ knowledge_base_id }) => knowledge_base_id)).toEqual([copy.voice_provider_kb_id])
    },
  }
  await everywhere(life, 1)
})
