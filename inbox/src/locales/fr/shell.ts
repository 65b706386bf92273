import type { ShellWords } from '../shell-words.ts'

export const shell: ShellWords = {
  title: 'Notifications',
  unread: { one: 'Notifications, {count} non lue', other: 'Notifications, {count} non lues' },
  tabs: { inbox: 'Réception', saved: 'Enregistrées', done: 'Traitées' },
  readAll: 'Tout marquer comme lu',
  groupBy: 'Regrouper par',
  settings: 'Paramètres',
  back: 'Retour aux notifications',
  close: 'Fermer',
  filter: 'Filtrer les notifications',
  filterExample: 'Filtre, par exemple is:unread',
  clearFilter: 'Effacer le filtre',
  saveFilter: 'Enregistrer le filtre',
  removeFilter: 'Supprimer le filtre enregistré',
  empty: {
    inbox: {
      title: 'Vous êtes à jour',
      text: 'Les nouvelles notifications apparaissent ici dès qu’elles arrivent.',
    },
    saved: {
      title: 'Rien d’enregistré',
      text: 'Ce que vous enregistrez reste ici jusqu’à ce que vous le retiriez.',
    },
    done: { title: 'Rien de traité', text: 'Ce que vous avez traité se retrouve ici.' },
    filter: { title: 'Aucun résultat', text: 'Rien ne correspond à ce filtre.' },
  },
  offline: {
    title: 'Pas de connexion',
    text: 'Vos notifications apparaîtront dès que la connexion sera rétablie.',
  },
  offlineNotice: 'Pas de connexion. Voici le dernier état connu ; il se mettra à jour tout seul.',
  unreachable: {
    title: 'Indisponible pour le moment',
    text: 'Vos notifications ne peuvent pas être chargées pour l’instant. Cette page continue d’essayer.',
  },
  failed: { title: 'Le chargement a échoué', text: 'Une erreur est survenue. Réessayez dans un instant.' },
  filterProblem: { title: 'Ce filtre ne fonctionne pas', text: 'Corrigez-le ci-dessus ou effacez-le.' },
  signedOut: { title: 'Votre session a expiré', text: 'Reconnectez-vous pour voir vos notifications.' },
  retry: 'Réessayer',
  undo: 'Annuler',
  refused: 'L’action a échoué ; rien n’a changé.',
  dismiss: 'Masquer',
  more: { one: 'et {count} autre', other: 'et {count} autres' },
}
