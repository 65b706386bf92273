/** Checked by the compiler: what goes into and comes out of the client has the types of the contract, and no others. */
import type * as contract from '@carillon/contract'
import { expectTypeOf, test } from 'vitest'
import type { Client } from './client.ts'

type Input<Method extends (...parameters: never[]) => unknown, Index extends number> = NonNullable<
  Parameters<Method>[Index]
>
type Output<Method extends (...parameters: never[]) => unknown> = Awaited<ReturnType<Method>>
type RowOf<Method extends (...parameters: never[]) => AsyncIterable<unknown>> =
  ReturnType<Method> extends AsyncIterable<infer Row> ? Row : never

test('answers', () => {
  expectTypeOf<Output<Client['providers']['list']>>().toEqualTypeOf<{ data: contract.Provider[] }>()
  expectTypeOf<Output<Client['providers']['kinds']>>().toEqualTypeOf<{ data: contract.ProviderKindInfo[] }>()
  expectTypeOf<Output<Client['providers']['create']>>().toEqualTypeOf<contract.Provider>()
  expectTypeOf<Output<Client['providers']['update']>>().toEqualTypeOf<contract.Provider>()
  expectTypeOf<Output<Client['providers']['test']>>().toEqualTypeOf<contract.TestAnswer>()
  expectTypeOf<Output<Client['devices']['register']>>().toEqualTypeOf<contract.Device>()
  expectTypeOf<Output<Client['suppressions']['list']>>().toEqualTypeOf<contract.Page<contract.Suppression>>()
  expectTypeOf<Output<Client['intents']['send']>>().toEqualTypeOf<contract.Accepted>()
  expectTypeOf<Output<Client['intents']['sendBatch']>>().toEqualTypeOf<contract.BatchAnswer>()
  expectTypeOf<Output<Client['intents']['simulate']>>().toEqualTypeOf<contract.Simulation>()
  expectTypeOf<Output<Client['kv']['get']>>().toEqualTypeOf<contract.KvEntry>()
  expectTypeOf<Output<Client['kv']['set']>>().toEqualTypeOf<contract.KvEntry>()
  expectTypeOf<Output<Client['kv']['list']>>().toEqualTypeOf<contract.Page<contract.KvEntrySummary>>()
  expectTypeOf<Output<Client['queues']['send']>>().toEqualTypeOf<contract.QueuedMessage>()
  expectTypeOf<Output<Client['preferences']['get']>>().toEqualTypeOf<contract.Preferences>()
  expectTypeOf<Output<Client['preferences']['put']>>().toEqualTypeOf<contract.Preferences>()
  expectTypeOf<Output<Client['preferences']['optOuts']>>().toEqualTypeOf<contract.Page<contract.OptOut>>()
  expectTypeOf<Output<Client['records']['list']>>().toEqualTypeOf<contract.Page<contract.Record>>()
  expectTypeOf<Output<Client['records']['get']>>().toEqualTypeOf<contract.RecordDetail>()
  expectTypeOf<Output<Client['records']['routes']>>().toEqualTypeOf<contract.Page<contract.Route>>()
  expectTypeOf<Output<Client['records']['explain']>>().toEqualTypeOf<contract.Explanation>()
  expectTypeOf<Output<Client['events']['explain']>>().toEqualTypeOf<contract.EventExplanation>()
  expectTypeOf<Output<Client['events']['simulate']>>().toEqualTypeOf<contract.EventSimulation>()
  expectTypeOf<Output<Client['records']['cancel']>>().toEqualTypeOf<contract.CancelAnswer>()
  expectTypeOf<Output<Client['runs']['list']>>().toEqualTypeOf<contract.Page<contract.Run>>()
  expectTypeOf<Output<Client['runs']['get']>>().toEqualTypeOf<contract.RunDetail>()
  expectTypeOf<Output<Client['scripts']['invoke']>>().toEqualTypeOf<contract.InvocationResult>()
  expectTypeOf<Output<Client['scripts']['invokeLater']>>().toEqualTypeOf<contract.InvocationAccepted>()
  expectTypeOf<Output<Client['routes']['list']>>().toEqualTypeOf<contract.Page<contract.Route>>()
  expectTypeOf<Output<Client['routes']['attempts']>>().toEqualTypeOf<{ data: contract.Attempt[] }>()
  expectTypeOf<Output<Client['malformedIntents']['list']>>().toEqualTypeOf<
    contract.Page<contract.MalformedIntent>
  >()
  expectTypeOf<Output<Client['deadLetters']['list']>>().toEqualTypeOf<contract.Page<contract.DeadLetter>>()
  expectTypeOf<Output<Client['deadLetters']['count']>>().toEqualTypeOf<contract.DeadLetterCount>()
  expectTypeOf<Output<Client['deadLetters']['get']>>().toEqualTypeOf<contract.DeadLetterDetail>()
  expectTypeOf<Output<Client['deadLetters']['replay']>>().toEqualTypeOf<contract.DeadLetter>()
  expectTypeOf<Output<Client['deadLetters']['resolve']>>().toEqualTypeOf<contract.DeadLetter>()
  expectTypeOf<Output<Client['deadLetters']['replayAll']>>().toEqualTypeOf<contract.ReplayAnswer>()
  expectTypeOf<Output<Client['deadLetters']['groups']>>().toEqualTypeOf<contract.DeadLetterGroups>()
  expectTypeOf<Output<Client['deadLetters']['resolveAll']>>().toEqualTypeOf<contract.ResolveAnswer>()
  expectTypeOf<Output<Client['metrics']['series']>>().toEqualTypeOf<contract.MetricSeries>()
  expectTypeOf<Output<Client['routes']['message']>>().toEqualTypeOf<contract.RouteMessage>()
  expectTypeOf<Output<Client['search']['find']>>().toEqualTypeOf<contract.SearchAnswer>()
  expectTypeOf<Output<Client['webhooks']['list']>>().toEqualTypeOf<contract.Page<contract.Webhook>>()
  expectTypeOf<Output<Client['webhooks']['create']>>().toEqualTypeOf<contract.CreatedWebhook>()
  expectTypeOf<Output<Client['webhooks']['update']>>().toEqualTypeOf<contract.Webhook>()
  expectTypeOf<Output<Client['webhooks']['rotate']>>().toEqualTypeOf<contract.CreatedWebhook>()
  expectTypeOf<Output<Client['webhooks']['test']>>().toEqualTypeOf<contract.WebhookDeliveryDetail>()
  expectTypeOf<Output<Client['webhooks']['recover']>>().toEqualTypeOf<contract.WebhookRecovery>()
  expectTypeOf<Output<Client['webhooks']['deliveries']>>().toEqualTypeOf<
    contract.Page<contract.WebhookDelivery>
  >()
  expectTypeOf<Output<Client['webhooks']['redeliver']>>().toEqualTypeOf<contract.Redelivery>()
  expectTypeOf<Output<Client['triggers']['list']>>().toEqualTypeOf<contract.Page<contract.Trigger>>()
  expectTypeOf<Output<Client['triggers']['create']>>().toEqualTypeOf<contract.CreatedTrigger>()
  expectTypeOf<Output<Client['triggers']['update']>>().toEqualTypeOf<contract.Trigger>()
  expectTypeOf<Output<Client['triggers']['rotateUrl']>>().toEqualTypeOf<contract.CreatedHttpTrigger>()
  expectTypeOf<Output<Client['inboundEmails']['receive']>>().toEqualTypeOf<contract.InboundEmailAnswer>()
  expectTypeOf<Output<Client['users']['put']>>().toEqualTypeOf<contract.User>()
  expectTypeOf<Output<Client['users']['get']>>().toEqualTypeOf<contract.User>()
  expectTypeOf<Output<Client['users']['list']>>().toEqualTypeOf<contract.Page<contract.User>>()
  expectTypeOf<Output<Client['users']['delete']>>().toEqualTypeOf<void>()
  expectTypeOf<Output<Client['notificationTypes']['put']>>().toEqualTypeOf<contract.NotificationType>()
  expectTypeOf<Output<Client['notificationTypes']['get']>>().toEqualTypeOf<contract.NotificationType>()
  expectTypeOf<Output<Client['notificationTypes']['list']>>().toEqualTypeOf<{
    data: contract.NotificationType[]
  }>()
  expectTypeOf<Output<Client['topics']['watch']>>().toEqualTypeOf<contract.Watch>()
  expectTypeOf<Output<Client['topics']['watches']>>().toEqualTypeOf<contract.Page<contract.Watch>>()
  expectTypeOf<Output<Client['scripts']['list']>>().toEqualTypeOf<contract.Page<contract.ScriptSummary>>()
  expectTypeOf<Output<Client['scripts']['get']>>().toEqualTypeOf<contract.Script>()
  expectTypeOf<Output<Client['scripts']['rollBack']>>().toEqualTypeOf<contract.Script>()
  expectTypeOf<Output<Client['scripts']['versions']>>().toEqualTypeOf<contract.Page<contract.ScriptVersion>>()
  expectTypeOf<Output<Client['scripts']['version']>>().toEqualTypeOf<contract.ScriptVersionDetail>()
  expectTypeOf<Output<Client['scripts']['test']>>().toEqualTypeOf<contract.ScriptTest>()
  expectTypeOf<Output<Client['templates']['list']>>().toEqualTypeOf<contract.Page<contract.TemplateSummary>>()
  expectTypeOf<Output<Client['templates']['get']>>().toEqualTypeOf<contract.Template>()
  expectTypeOf<Output<Client['templates']['put']>>().toEqualTypeOf<contract.Template>()
  expectTypeOf<Output<Client['templates']['publish']>>().toEqualTypeOf<contract.TemplateVersion>()
  expectTypeOf<Output<Client['templates']['rollBack']>>().toEqualTypeOf<contract.TemplateVersion>()
  expectTypeOf<Output<Client['templates']['version']>>().toEqualTypeOf<contract.TemplateVersionDetail>()
  expectTypeOf<Output<Client['templates']['preview']>>().toEqualTypeOf<contract.Preview>()
  expectTypeOf<Output<Client['templateParts']['put']>>().toEqualTypeOf<contract.TemplatePart>()
  expectTypeOf<Output<Client['templateParts']['publish']>>().toEqualTypeOf<contract.PublishedPart>()
  expectTypeOf<Output<Client['branding']['update']>>().toEqualTypeOf<contract.Branding>()
  expectTypeOf<Output<Client['translations']['get']>>().toEqualTypeOf<contract.Translations>()
  expectTypeOf<Output<Client['capturedMessages']['list']>>().toEqualTypeOf<
    contract.Page<contract.CapturedMessage>
  >()
  expectTypeOf<Output<Client['systemEvents']['list']>>().toEqualTypeOf<contract.Page<contract.SystemEvent>>()
  expectTypeOf<Output<Client['systemEvents']['resolve']>>().toEqualTypeOf<contract.SystemEvent>()
  expectTypeOf<Output<Client['apiKeys']['list']>>().toEqualTypeOf<contract.Page<contract.ApiKey>>()
  expectTypeOf<Output<Client['apiKeys']['create']>>().toEqualTypeOf<contract.CreatedApiKey>()
  expectTypeOf<Output<Client['tenant']['get']>>().toEqualTypeOf<contract.Tenant>()
  expectTypeOf<Output<Client['tenant']['update']>>().toEqualTypeOf<contract.Tenant>()
  expectTypeOf<Output<Client['tenants']['list']>>().toEqualTypeOf<{ data: contract.Tenant[] }>()
  expectTypeOf<Output<Client['tenants']['create']>>().toExtend<
    contract.Tenant & { api_key: contract.CreatedApiKey }
  >()
})

test('bodies', () => {
  expectTypeOf<Input<Client['intents']['send'], 0>>().toEqualTypeOf<contract.IntentInput>()
  expectTypeOf<Input<Client['intents']['sendBatch'], 0>>().toEqualTypeOf<contract.BatchInput>()
  expectTypeOf<Input<Client['triggers']['create'], 0>>().toEqualTypeOf<contract.NewTrigger>()
  expectTypeOf<Input<Client['triggers']['update'], 1>>().toEqualTypeOf<contract.TriggerChanges>()
  expectTypeOf<Input<Client['users']['put'], 1>>().toEqualTypeOf<contract.UserInput>()
  expectTypeOf<Input<Client['notificationTypes']['put'], 1>>().toEqualTypeOf<contract.NotificationTypeInput>()
  expectTypeOf<Input<Client['kv']['set'], 2>>().toEqualTypeOf<contract.KvEntryInput>()
  expectTypeOf<Input<Client['queues']['send'], 1>>().toEqualTypeOf<contract.NewQueueMessage>()
  expectTypeOf<Input<Client['scripts']['create'], 0>>().toEqualTypeOf<contract.NewScript>()
  expectTypeOf<Input<Client['scripts']['update'], 1>>().toEqualTypeOf<contract.ScriptChanges>()
  expectTypeOf<Input<Client['scripts']['test'], 1>>().toEqualTypeOf<contract.TestScript>()
  expectTypeOf<Input<Client['scripts']['testSource'], 0>>().toEqualTypeOf<contract.TestSource>()
  expectTypeOf<Input<Client['topics']['watch'], 1>>().toEqualTypeOf<contract.WatchInput>()
  expectTypeOf<Input<Client['templates']['put'], 1>>().toEqualTypeOf<contract.TemplateInput>()
  expectTypeOf<Input<Client['templates']['publish'], 1>>().toEqualTypeOf<contract.PublishTemplate>()
  expectTypeOf<Input<Client['templates']['previewText'], 0>>().toEqualTypeOf<contract.PreviewTemplate>()
  expectTypeOf<Input<Client['branding']['update'], 0>>().toEqualTypeOf<contract.BrandingChanges>()
  expectTypeOf<Input<Client['translations']['put'], 1>>().toEqualTypeOf<contract.TranslationsInput>()
  expectTypeOf<Input<Client['apiKeys']['create'], 0>>().toEqualTypeOf<contract.NewApiKey>()
  expectTypeOf<Input<Client['tenant']['update'], 0>>().toEqualTypeOf<contract.TenantSettings>()
  expectTypeOf<Input<Client['tenants']['create'], 0>>().toEqualTypeOf<contract.NewTenant>()
  expectTypeOf<Input<Client['systemEvents']['resolve'], 1>>().toEqualTypeOf<contract.ResolveSystemEvent>()
  expectTypeOf<Input<Client['deadLetters']['resolve'], 1>>().toEqualTypeOf<
    Partial<contract.ResolveDeadLetter>
  >()
  expectTypeOf<
    Required<Input<Client['deadLetters']['replayAll'], 0>>
  >().toExtend<contract.ReplayDeadLetters>()
})

test('queries are the contract’s with everything optional, and iterators give the rows of the lists', () => {
  expectTypeOf<Input<Client['records']['list'], 0>>().toEqualTypeOf<Partial<contract.RecordQuery>>()
  expectTypeOf<Input<Client['routes']['list'], 0>>().toEqualTypeOf<Partial<contract.RouteQuery>>()
  expectTypeOf<Input<Client['deadLetters']['list'], 0>>().toEqualTypeOf<Partial<contract.DeadLetterQuery>>()
  expectTypeOf<Input<Client['malformedIntents']['list'], 0>>().toEqualTypeOf<
    Partial<contract.MalformedIntentQuery>
  >()
  expectTypeOf<Input<Client['capturedMessages']['list'], 0>>().toEqualTypeOf<
    Partial<contract.CapturedMessageQuery>
  >()
  expectTypeOf<Input<Client['systemEvents']['list'], 0>>().toEqualTypeOf<Partial<contract.SystemEventQuery>>()
  expectTypeOf<Input<Client['users']['list'], 0>['email']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<RowOf<Client['records']['all']>>().toEqualTypeOf<contract.Record>()
  expectTypeOf<RowOf<Client['records']['allRoutes']>>().toEqualTypeOf<contract.Route>()
  expectTypeOf<RowOf<Client['kv']['all']>>().toEqualTypeOf<contract.KvEntrySummary>()
  expectTypeOf<RowOf<Client['kv']['allCollections']>>().toEqualTypeOf<contract.KvCollection>()
  expectTypeOf<RowOf<Client['deadLetters']['all']>>().toEqualTypeOf<contract.DeadLetter>()
  expectTypeOf<RowOf<Client['notificationTypes']['all']>>().toEqualTypeOf<contract.NotificationType>()
})
