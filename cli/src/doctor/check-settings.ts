import type { DoctorParts, Finding } from './check.ts';

/** Settings that are right in a test or a private network and wrong elsewhere. */
export function checkSettings({ config }: DoctorParts): Finding[] {
  const findings: Finding[] = [];
  const blocks = config.egressAllow.length;
  findings.push(
    blocks === 0
      ? { check: 'egress', state: 'ok', seen: 'only public addresses are dialled' }
      : {
          check: 'egress',
          state: 'warning',
          seen: `MAILPROOF_EGRESS_ALLOW opens ${blocks === 1 ? 'a block' : `${blocks} blocks`} outside public address space`,
          remedy:
            'Whoever may have an address verified can make this machine connect there. Unset it outside tests and private networks.',
        },
  );
  if (config.pacing === 'off') {
    findings.push({
      check: 'pacing',
      state: 'warning',
      seen: 'MAILPROOF_PACING=off lifts the limits per destination',
      remedy: 'Unset it outside tests and private networks, or mail hosts will block this machine.',
    });
  }
  if (config.smtpPort !== 25) {
    findings.push({
      check: 'mail port',
      state: 'warning',
      seen: `mail hosts are asked on port ${config.smtpPort}`,
      remedy: 'Unset MAILPROOF_SMTP_PORT outside tests: mail hosts listen on 25.',
    });
  }
  return findings;
}
