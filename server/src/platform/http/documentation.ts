/** Generates openapi.json from the routes and their schemas. Schemas of the contract keep their names in it. */
import * as contract from '@carillon/contract'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { documentWebhooks } from './webhook-documentation.ts'

/** Names the schemas of bodies and answers; small shared pieces such as Name stay inline. */
function nameSchemas(): void {
  for (const [name, schema] of Object.entries(contract)) {
    // The generator itself adds "Input" where a schema's input differs from its output; parameters have no names.
    if (/(Input|Query|Headers)$/.test(name)) continue
    if (schema instanceof z.ZodObject && !z.globalRegistry.has(schema))
      z.globalRegistry.add(schema, { id: name })
  }
}

export async function documentRoutes(app: FastifyInstance): Promise<void> {
  nameSchemas()
  // Every route may answer with a problem; stated once here instead of at each route.
  app.addHook('onRoute', route => {
    if (route.schema?.hide || route.schema?.response === undefined) return
    const response = route.schema.response as Record<string, unknown>
    route.schema.response = { ...response, '4xx': contract.Problem, '5xx': contract.Problem }
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Carillon',
        version: '0.1.0',
        description:
          'Accepts notification intents once, delivers them on every channel, explains every decision.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          api_key: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: contract.SESSION_COOKIE,
            description: `Of the dashboard; every request with it carries the header ${contract.SESSION_HEADER}: 1. Under https its name begins with __Host-`,
          },
          user_token: {
            type: 'http',
            scheme: 'bearer',
            description: 'Of a person’s browser; user_id may be left out, and is that of the person',
          },
        },
      },
      security: [{ api_key: [] }],
      webhooks: documentWebhooks(),
    },
    transform: jsonSchemaTransform,
    transformObject: input =>
      tidy(jsonSchemaTransformObject(input) as Document) as ReturnType<typeof jsonSchemaTransformObject>,
  })
}

interface Answer {
  description: string
  content?: Record<string, unknown>
}

interface Document {
  paths?: Record<string, Record<string, { responses?: Record<string, Answer> }>>
  components?: { schemas?: Record<string, unknown> }
}

/** Gives problems their description and content type, and removes schemas that nothing refers to. */
function tidy(document: Document): Document {
  for (const operation of Object.values(document.paths ?? {}).flatMap(methods => Object.values(methods))) {
    for (const [status, answer] of Object.entries(operation.responses ?? {})) {
      const isProblem = /^[45]XX$/.test(status)
      answer.description = isProblem ? 'A problem; its code is stable' : 'Success'
      if (isProblem) answer.content = { 'application/problem+json': answer.content?.['application/json'] }
    }
  }
  const schemas = document.components?.schemas ?? {}
  for (let removed = true; removed; ) {
    const text = JSON.stringify(document)
    const unused = Object.keys(schemas).filter(name => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
    removed = unused.length > 0
  }
  return document
}
