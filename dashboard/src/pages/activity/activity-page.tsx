/** Everything that was sent or should have been: notifications as they were accepted, and each message on its own. */
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RecordsList } from './records-list.tsx'
import { RoutesList } from './routes-list.tsx'

export default function ActivityPage() {
  return (
    <Page
      title="Activity"
      lead="Every notification that was accepted, and each message that came of it. Open one to see why it was sent, or was not."
      actions={
        <LinkButton to="/send" kind="primary">
          Send a test
        </LinkButton>
      }
    >
      <Tabs
        label="Views of the activity"
        tabs={[
          { value: 'notifications', title: 'Notifications', content: <RecordsList /> },
          { value: 'messages', title: 'Messages', content: <RoutesList /> },
        ]}
      />
    </Page>
  )
}
