import type { Site } from '../../account/printed-commands';
import { type Finding, isAtLeastAsSevere } from '../../diagnosis/checks/finding';
import { counted } from '../../policy/format-text';
import type { CommandContext } from '../shared/command-line';
import { findingDocument } from '../shared/json-documents';
import { warn, writeJson } from '../shared/print';
import { folded, paintFor, proseWidth } from '../shared/terminal-text';
import { doctorText } from './doctor-text';
import type { DoctorOptions } from './examine';
import { type Examined, examine } from './examine';

/**
 * `dlo doctor`.
 *
 * @throws BadInput when the assembly or the stack does not exist
 * @throws Error when there is a finding of the severity of `--fail-on`, or worse
 */
export async function runDoctor(
  assembly: string | undefined,
  options: DoctorOptions,
  world: CommandContext,
): Promise<void> {
  const { io } = world;
  const { json = false, severity, failOn } = options;
  const examined = await examine(assembly, options, world);
  const findings = examined.findings.filter(it => isAtLeastAsSevere(it.severity, severity));
  warn(io, examined.unread);
  const site = { options, ...(examined.region !== undefined && { region: examined.region }) };
  if (json) writeJson(io, doctorDocument(examined, findings, site));
  else {
    const page = { site, paint: paintFor(io.stdout.isTTY), width: proseWidth(io.stdout) };
    io.stdout.write(folded(doctorText(examined, findings, page), io.stdout));
  }
  if (failOn === undefined) return;
  const failing = examined.findings.filter(it => isAtLeastAsSevere(it.severity, failOn));
  if (failing.length > 0)
    throw new Error(`${counted(failing.length, 'finding', 'findings')} of severity ${failOn} or worse`);
}

/** The JSON document. */
export function doctorDocument(
  { what, region, acknowledgedCount, unread }: Examined,
  findings: readonly Finding[],
  site: Site,
) {
  return {
    examined: what,
    region: region ?? null,
    findings: findings.map(it => findingDocument(it, site)),
    acknowledgedCount,
    unread,
  };
}
