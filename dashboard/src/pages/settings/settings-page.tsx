/** What applies to the tenant as a whole. */
import { useMay } from '../../app/session.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { BrandTab } from './brand-tab.tsx'
import { FanoutTab } from './fanout-tab.tsx'
import { PreferencesTab } from './preferences-tab.tsx'
import { TenantTab } from './tenant-tab.tsx'
import { TranslationsTab } from './translations-tab.tsx'
import { VisibilityTab } from './visibility-tab.tsx'

export default function SettingsPage() {
  const [mayTemplates, mayPreferences, mayTopics] = [
    useMay('templates:read'),
    useMay('preferences:read'),
    useMay('topics:read'),
  ]
  return (
    <Page title="Settings" lead="What holds for the whole tenant. Every change is written to the audit log.">
      <Tabs
        label="Settings"
        tabs={[
          { value: 'tenant', title: 'Tenant', content: <TenantTab /> },
          ...(mayTemplates
            ? [
                { value: 'brand', title: 'Brand', content: <BrandTab /> },
                { value: 'translations', title: 'Translations', content: <TranslationsTab /> },
              ]
            : []),
          ...(mayPreferences
            ? [{ value: 'preferences', title: 'Default preferences', content: <PreferencesTab /> }]
            : []),
          ...(mayTopics
            ? [
                { value: 'fanout', title: 'Who is told', content: <FanoutTab /> },
                { value: 'visibility', title: 'Visibility check', content: <VisibilityTab /> },
              ]
            : []),
        ]}
      />
    </Page>
  )
}
