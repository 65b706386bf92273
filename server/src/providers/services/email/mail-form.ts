/** A form with files, as a browser would send it; without files, in the shorter encoding. */
import type { AttachedFile } from '../../../content/messages/message.ts'

export async function writeForm(
  fields: Record<string, string>,
  files: AttachedFile[],
): Promise<{ contentType: string; body: string | Buffer }> {
  if (files.length === 0) {
    const body = new URLSearchParams(fields).toString()
    return { contentType: 'application/x-www-form-urlencoded', body }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const { filename, content_type, content } of files)
    form.append('attachment', new Blob([new Uint8Array(content)], { type: content_type }), filename)
  const encoded = new Response(form)
  return {
    contentType: encoded.headers.get('content-type')!,
    body: Buffer.from(await encoded.arrayBuffer()),
  }
}
