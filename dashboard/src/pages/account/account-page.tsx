/** One's own account: name, email, password, and everywhere one is signed in. */
import { useSession } from '../../app/session.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SessionList } from './session-list.tsx'

export default function AccountPage() {
  const { account } = useSession()
  if (account === null)
    return (
      <Page title="Your account">
        <Card>
          <Empty
            title="You came with an API key"
            text="Only people have accounts. Sign in with an email to see yours."
          />
        </Card>
      </Page>
    )
  return (
    <Page title="Your account">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <ProfileForm account={account} />
        <PasswordForm email={account.email} />
      </div>
      <SessionList />
    </Page>
  )
}
