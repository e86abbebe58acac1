import type { AccountTexts } from './en.js'

export const pt: AccountTexts = {
  title: 'Login em duas etapas',

  'advice.none':
    'Sua conta ainda não tem uma segunda etapa. Adicione um número ou configure um app autenticador.',
  'advice.none.numbers': 'Sua conta ainda não tem uma segunda etapa. Adicione um número.',
  'advice.one':
    'Você só tem uma forma de confirmar que é você. Adicione outra para conseguir entrar se perder essa.',
  'advice.one.codes':
    'Você só tem uma forma de confirmar que é você. Adicione outra ou crie códigos de recuperação para conseguir entrar se perder essa.',
  'advice.few': 'Restam poucos códigos de recuperação. Crie outros.',
  'risk.numbers':
    'Mensagens e ligações podem ser interceptadas, e um número pode ser roubado. Um app autenticador é mais seguro.',
  'risk.passkeys':
    'Mensagens e ligações podem ser interceptadas, e um número pode ser roubado. Uma chave de acesso é mais segura.',

  'last-used': 'Último uso: {when}',
  'added-on': 'Adicionada em {when}',
  'state.on': 'Em uso',
  'state.off': 'Sem uso',
  'numbers.title': 'Números de telefone',
  'numbers.is-first': 'Principal',
  'numbers.add': 'Adicionar um número',

  'passkeys.title': 'Chaves de acesso',
  'passkeys.text':
    'Seu dispositivo confirma que é você com a digital, o rosto ou o bloqueio de tela. Não há código para roubar.',
  'passkeys.add': 'Adicionar uma chave de acesso',
  'passkeys.create': 'Criar uma chave de acesso',
  'passkeys.cancelled': 'Nenhuma chave de acesso foi criada. Tente de novo.',
  'passkeys.unsupported':
    'Este navegador não cria chaves de acesso. Tente em outro navegador ou dispositivo.',
  'passkeys.rename': 'Renomear uma chave de acesso',
  'passkeys.name': 'Nome da chave de acesso',

  'offer.title': 'Entre mais rápido da próxima vez',
  'offer.text':
    'Com uma chave de acesso, você usa a digital, o rosto ou o bloqueio de tela em vez de um código. Para configurar, vamos pedir mais um código.',
  'offer.set-up': 'Configurar uma chave de acesso',
  'offer.done': 'Você poderá usá-la da próxima vez que entrar.',

  'app.title': 'App autenticador',
  'app.text':
    'Um app como o Google Authenticator ou o 1Password mostra um código novo a cada 30 segundos, mesmo sem sinal.',
  'app.add': 'Configurar um app',
  'app.replace': 'Trocar',

  'recovery.title': 'Códigos de recuperação',
  'recovery.text': 'Cada um deixa você entrar uma vez se não puder receber um código de outra forma.',
  'recovery.make': 'Criar códigos de recuperação',
  'recovery.none': 'Nenhum',
  'recovery.left': 'Disponíveis: {n}',
  'codes.title': 'Seus códigos de recuperação',
  'codes.show': 'Mostrar meus códigos',
  'codes.text': 'Nós os mostramos só desta vez. Guarde-os onde possa achá-los sem o celular.',
  'codes.of': 'Para {account}, criados em {when}',
  'codes.copy': 'Copiar',
  'codes.copied': 'Copiados',
  'codes.not-copied': 'Não foi possível copiar',
  'codes.download': 'Baixar',
  'codes.print': 'Imprimir',
  'codes.kept': 'Já guardei',
  'codes.lead': 'Crie códigos de recuperação',
  'codes.lead.text':
    'Eles deixam você entrar se perder o celular. Leva um minuto e você não precisa de outro código agora.',
  'codes.later': 'Agora não',

  'devices.title': 'Navegadores confiáveis',
  'devices.text': 'Eles entram sem código.',
  'device.unnamed': 'Navegador',
  'device.this': 'Este navegador',

  'elsewhere.title': 'Outros dispositivos',
  'elsewhere.text':
    'Acha que outra pessoa está na sua conta? Todos os outros dispositivos vão precisar de um código para continuar.',

  back: 'Voltar ao login em duas etapas',

  'do.number-added': 'Adicionar o número',
  'do.number-first': 'Tornar principal',
  'do.number-removed': 'Remover',
  'do.passkey-added': 'Adicionar a chave de acesso',
  'do.passkey-renamed': 'Renomear',
  'do.passkey-removed': 'Remover',
  'do.app-added': 'Configurar o app',
  'do.app-removed': 'Remover',
  'do.recovery-codes-made': 'Criar novos códigos',
  'do.device-ended': 'Deixar de confiar',
  'do.devices-ended': 'Deixar de confiar em todos',
  'do.signed-out-elsewhere': 'Pedir um código nos outros dispositivos',

  'change.number-added': 'Adicionar {number}',
  'change.number-first': 'Tornar principal o número com final {digits}',
  'change.number-removed': 'Remover o número com final {digits}',
  'change.passkey-added': 'Adicionar uma chave de acesso',
  'change.passkey-renamed': 'Renomear a chave de acesso {device}',
  'change.passkey-removed': 'Remover a chave de acesso {device}',
  'change.app-added': 'Configurar um app autenticador',
  'change.app-removed': 'Remover o app autenticador',
  'change.recovery-codes-made': 'Criar códigos de recuperação',
  'change.device-ended': 'Deixar de confiar em um navegador',
  'change.devices-ended': 'Deixar de confiar em todos os navegadores',
  'change.signed-out-elsewhere': 'Pedir um código nos outros dispositivos',

  'details.device': 'Navegador',
  'details.after': 'Depois',
  'after.number-added': 'Os códigos também podem chegar a este número',
  'after.number-first':
    'É seu número principal. A última forma que funcionou para você continua sendo oferecida primeiro',
  'after.number-removed': 'Este número não recebe mais códigos. Formas que restam: {n}',
  'after.passkey-added': 'Você poderá entrar com a nova chave de acesso, sem código',
  'after.passkey-renamed': 'A chave de acesso terá o novo nome',
  'after.passkey-removed': 'Você não poderá mais entrar com esta chave de acesso. Formas que restam: {n}',
  'after.app-added': 'Você também pode entrar com os códigos do app',
  'after.app-replaced': 'Os códigos do app anterior não valem mais',
  'after.app-removed': 'Os códigos do app não valem mais. Formas que restam: {n}',
  'after.recovery-codes-made': 'Só os novos códigos de recuperação valem',
  'after.device-ended': 'Ele precisa de um código para entrar',
  'after.devices-ended': 'Cada um precisa de um código para entrar',
  'after.signed-out-elsewhere': 'Todos os outros dispositivos precisam de um código, também os confiáveis',
  'after.only-recovery-codes':
    'Só os códigos de recuperação deixam você entrar. Quando acabarem, você perde o acesso',
  'after.nothing': 'Qualquer pessoa que souber sua senha poderá entrar',

  'done.number-added': 'O número com final {digits} foi adicionado.',
  'done.number-first': 'O número com final {digits} agora é seu número principal.',
  'done.number-removed': 'O número com final {digits} foi removido.',
  'done.passkey-added': 'A chave de acesso foi adicionada.',
  'done.passkey-renamed': 'A chave de acesso {device} foi renomeada.',
  'done.passkey-removed': 'A chave de acesso {device} foi removida.',
  'done.app-added': 'O app autenticador foi ativado.',
  'done.app-removed': 'O app autenticador foi removido.',
  'done.recovery-codes-made': 'Você tem novos códigos de recuperação. Agora só estes valem.',
  'done.recovery-codes-first': 'Agora você tem códigos de recuperação.',
  'done.device-ended': '{device} não é mais confiável.',
  'done.devices-ended': 'Nenhum navegador é mais confiável.',
  'done.signed-out-elsewhere': 'Todos os outros dispositivos vão pedir um código de novo.',

  'problem.no_factor':
    'Adicione primeiro uma forma de receber códigos. Os de recuperação são para quando você a perder.',
  'problem.last_factor': 'É sua única forma de entrar. Adicione outra antes de removê-la.',
  'problem.only_recovery_codes':
    'Você só teria códigos de recuperação, que acabam. Adicione outra forma antes de remover esta.',
  'problem.too_many': 'Você tem cinco números. Remova um antes de adicionar outro.',
  'problem.too_many_passkeys': 'Você tem dez chaves de acesso. Remova uma antes de adicionar outra.',
  'problem.on_file': 'Esse número já está na sua lista.',
  'problem.taken': 'Este número pertence a outra conta.',
  'problem.app_on_file': 'Já há um app configurado. Se você estava configurando outro, comece de novo.',
  'problem.no_passkey':
    'A chave de acesso não foi adicionada. Tente de novo. Se ela já está na sua lista, você não precisa de outra.',
  'problem.passkey_gone': 'Essa chave de acesso já foi removida, então nada foi alterado.',
  'problem.stale': 'Suas configurações mudaram nesse meio-tempo e nada foi feito. Confira e tente de novo.',
}
