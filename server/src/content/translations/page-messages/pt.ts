/** The pages that people see, in Portuguese. */
import type { PageMessages } from './en.ts'

export const PT: PageMessages = {
  'page.channel.in_app': 'No app',
  'page.channel.email': 'E-mail',
  'page.channel.sms': 'SMS',
  'page.channel.push': 'Push',
  'page.channel.chat': 'Chat',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'no app',
  'page.by.email': 'por e-mail',
  'page.by.sms': 'por SMS',
  'page.by.push': 'por notificação push',
  'page.by.chat': 'por chat',
  'page.by.webhook': 'por webhook',

  'page.preferences.title': 'Suas notificações',
  'page.preferences.intro': 'Escolha o que receber de {$sender} e quando.',
  'page.preferences.intro_unnamed': 'Escolha o que receber de nós e quando.',
  'page.preferences.saved': 'Salvo. As alterações já estão valendo.',
  'page.preferences.invalid':
    'Nada foi salvo. Informe horários como 22:00, escolha um fuso horário da lista e um fim da pausa que esteja no futuro.',
  'page.preferences.save': 'Salvar',

  'page.what.title': 'O que você recebe',
  'page.what.caption': 'O que você recebe em cada canal',
  'page.what.category': 'Assunto',
  'page.what.everything': 'Tudo',
  'page.what.hint': '“Tudo” ativa ou desativa um canal inteiro, inclusive para mensagens urgentes.',
  'page.what.required': 'Essencial, por isso sempre enviado',
  'page.what.hint_required':
    '“Tudo” ativa ou desativa um canal inteiro, inclusive para mensagens urgentes, mas não o que é sempre enviado.',

  'page.often.title': 'Com que frequência',
  'page.often.message': 'Na hora',
  'page.often.hour': 'Uma vez por hora',
  'page.often.day': 'Uma vez por dia',
  'page.often.week': 'Uma vez por semana',
  'page.often.at': 'Horário dos resumos diários e semanais',
  'page.often.on': 'Dia dos resumos semanais',
  'page.often.hint':
    'Um resumo reúne várias mensagens em uma só. Mensagens urgentes e sua caixa de entrada nunca atrasam.',

  'page.quiet.title': 'Horário de silêncio',
  'page.quiet.switch': 'Segurar as mensagens neste horário',
  'page.quiet.from': 'De',
  'page.quiet.until': 'Até',
  'page.quiet.days': 'Nestes dias',
  'page.quiet.more': 'Outros horários em outros dias',
  'page.quiet.invalid':
    'Nada foi salvo. O horário de silêncio deve ter um início e um fim diferentes e não pode ocupar a semana inteira.',
  'page.quiet.zone': 'Fuso horário',
  'page.quiet.hint':
    'Mensagens urgentes são enviadas a qualquer hora. As da sua caixa de entrada não emitem som e não são seguradas.',

  'page.pause.title': 'Pausa',
  'page.pause.length': 'Segurar todas as mensagens',
  'page.pause.none': 'Sem pausa',
  'page.pause.hour': 'Por uma hora',
  'page.pause.tomorrow': 'Até amanhã às {$time}',
  'page.pause.week': 'Por uma semana',
  'page.pause.until': 'Até uma data e hora',
  'page.pause.end': 'Fim da pausa',
  'page.pause.hint':
    'As mensagens esperam até a pausa terminar. As urgentes são enviadas mesmo assim, e sua caixa de entrada mostra tudo.',
  'page.pause.active': 'Em pausa até {$until}.',
  'page.pause.active_on': '{$channels}: em pausa até {$until}.',
  'page.pause.stop': 'Encerrar a pausa agora',

  'page.unsubscribe.title': 'Cancelar a inscrição?',
  'page.unsubscribe.category': 'Você não receberá mais mensagens sobre “{$category}” {$by}.',
  'page.unsubscribe.channel': 'Você não receberá mais mensagens {$by}.',
  'page.unsubscribe.channel_except': 'Você não receberá mais mensagens {$by}, exceto sobre: {$categories}.',
  'page.unsubscribe.thread':
    'Você não receberá mais mensagens sobre “{$thread}”, exceto quando alguém se dirigir diretamente a você.',
  'page.unsubscribe.confirm': 'Cancelar inscrição',
  'page.unsubscribed.title': 'Inscrição cancelada',
  'page.unsubscribed.undo': 'Desfazer ou mudar o que mais você recebe',

  'page.required.title': 'Não é possível cancelar a inscrição nestas mensagens',
  'page.required.text': 'Mensagens sobre “{$category}” são sempre enviadas. Nada foi alterado.',
  'page.required.change': 'Mudar o que mais você recebe',

  'page.expired.title': 'Este link expirou',
  'page.expired.text': 'Abra novamente suas configurações a partir de onde encontrou o link.',
  'page.broken.title': 'Este link não funciona',
  'page.broken.text':
    'Talvez falte uma parte dele. Copie o endereço completo ou abra o link novamente a partir de onde o encontrou.',
}
