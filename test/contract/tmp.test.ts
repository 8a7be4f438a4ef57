import { test } from 'vitest'
import { start } from '../harness.ts'
import { seed } from './seed.ts'

test('x', async () => {
  const app = await start()
  const ws = await app.workspace()
  console.log(await seed(ws))
  await app.close()
})
