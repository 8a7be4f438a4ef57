import type { Harness } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { fileOf } from '../uploads.ts'

/** Sends a file to a knowledge base. */
export async function ingestFile(app: Harness, ws: TestWorkspace, base: string, name: string, content: string | Uint8Array) {
  const form = new FormData()
  form.append('file', fileOf(name, content))
  const request = new Request('http://form.test', { method: 'POST', body: form })
  const response = await app.fetch(`/v1/knowledge-bases/${base}/ingest-file`, {
    method: 'POST',
    headers: { 'content-type': request.headers.get('content-type') as string, authorization: `Bearer ${ws.apiKey}` },
    body: new Uint8Array(await request.arrayBuffer()),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** A PDF with a page for each text. */
export function pdfOf(...pages: string[]): string {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`
      const resources = '/Resources << /Font << /F1 3 0 R >> >>'
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${Math.max(612, 72 + text.length * 12)} 792] ${resources} ` +
          `/Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((body, at) => {
    const offset = pdf.length
    pdf += `${at + 1} 0 obj\n${body}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  return (
    `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R ` +
    `>>\nstartxref\n${pdf.length}\n%%EOF`
  )
}
