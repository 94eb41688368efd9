import { Command, Option } from 'commander';
import { findingGroupDocument } from '../../account/documents/json-documents';
import { BadInput } from '../../account/errors';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import type { Site } from '../../account/printed-commands';
import {
  CONSEQUENCES,
  type Finding,
  isAtLeastAsSevere,
  SEVERITIES,
  type Severity,
} from '../../diagnosis/checks/finding';
import { groupFindings } from '../../diagnosis/checks/finding-groups';
import { counted } from '../../policy/format-text';
import { addConnectionOptions, type CommandContext } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { aboutLines, folded, paintFor, proseWidth } from '../shared/terminal-text';
import { reportSkew, reportUnknowns } from '../shared/with-aws';
import { beyondBaseline, fingerprints, goneText, readBaseline, writeBaseline } from './baseline';
import { doctorText } from './doctor-text';
import { type DoctorOptions, type Examined, examine } from './examine';
import { junitDocument } from './junit';
import { lineOfResource, sarifDocument } from './sarif';

/** For an account. */
export const DOCTOR_PERMISSIONS: CommandPermissions = {
  command: 'doctor',
  reads: INVENTORY_READS,
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const severityRows = SEVERITIES.map(it => [`  ${it}`, CONSEQUENCES[it]] as const);

const HELP = `
TEMPLATES is the output folder of "cdk synth", usually cdk.out, including its stages and nested stacks; or a CloudFormation
template in JSON or YAML; or a folder of such templates, which are read as the stacks of one app. AWS is not called for them.
Without TEMPLATES, but with --profile, --region or --endpoint-url, the Region of the account is read. Without any of them, it
reads cdk.out if that is in this folder, else the account.

Severities, the worst first:
${aboutLines(severityRows).join('\n')}
What a template does not contain, or a missing permission hides, is not checked. Each finding has an id, and a section
in docs/doctor.md. Findings that the app acknowledges for a stack or construct are left out and counted. Those
acknowledged for an app or a stage are too, if the plugin DeadLetterOfficeChecks has checked it.

Findings that say the same about several resources are printed once, with a list of the resources. --sarif and --junit write
the findings that are shown to a file, for a pipeline, one for each resource. --baseline leaves out the findings that are in a
file, which --write-baseline writes: so only new ones count for --fail-on.

  dlo doctor cdk.out --fail-on at-risk
  dlo doctor templates/ --baseline doctor.json --fail-on unwatched --sarif doctor.sarif
  dlo doctor --region eu-central-1 --severity loses
  dlo doctor --profile ops --json | jq -r '.findings[] | .id as $id | .resources[] | [$id, .resource] | @tsv'

Templates need no permission. For an account:
${permissionsText(DOCTOR_PERMISSIONS)}

Exit codes: 0 success, whatever was found, and also where a part is unknown; 1 failure, or a finding of --fail-on; 2 bad input.`;

/** `dlo doctor`: finds what in an app's templates, or in an account, loses messages. */
export function doctorCommand(context: CommandContext): Command {
  return addConnectionOptions(new Command('doctor'))
    .argument(
      '[TEMPLATES]',
      'a cloud assembly, a template or a folder of templates (default: cdk.out, if it exists and no account is named)',
    )
    .option('--stack <name>', 'only findings in this stack; the others are read too')
    .addOption(
      new Option('--severity <severity>', 'only findings of this severity or worse')
        .choices(SEVERITIES)
        .default('note'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 if there is a finding of this severity or worse').choices(
        SEVERITIES,
      ),
    )
    .option('--json', 'print it as JSON')
    .option('--sarif <file>', 'also write the findings to a file, in SARIF 2.1.0')
    .option('--junit <file>', 'also write the findings to a file, as JUnit XML')
    .option('--baseline <file>', 'leave out the findings in this file')
    .option('--write-baseline', 'write all findings to the file of --baseline')
    .addHelpText('after', HELP)
    .action(async (source: string | undefined, options: DoctorOptions) => runDoctor(source, options, context));
}

/**
 * `dlo doctor`.
 */
async function runDoctor(source: string | undefined, options: DoctorOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const { json = false, severity, failOn } = options;
  if (options.writeBaseline && options.baseline === undefined) {
    throw new BadInput(['--write-baseline needs --baseline FILE, the file to write']);
  }
  const examined = await withoutBaseline(await examine(source, options, context), options, io);
  const findings = examined.findings.filter(it => isAtLeastAsSevere(it.severity, severity));
  const unread = examined.unknowns ? [] : examined.unread;
  warn(io, [...unread, ...goneText(options.baseline ?? '', examined.baseline?.gone ?? [])]);
  await writeReports(examined.what, findings, options, io);
  const site = { options, ...(examined.region !== undefined && { region: examined.region }) };
  if (json) writeJson(io, doctorDocument(examined, findings, site));
  else {
    const page = { site, paint: paintFor(io.stdout), width: proseWidth(io.stdout) };
    io.stdout.write(folded(doctorText(examined, findings, page), io.stdout));
  }
  if (examined.unknowns) {
    reportUnknowns(io, examined.unknowns);
    reportSkew(context);
  }
  if (failOn === undefined) return;
  const failing = examined.findings.filter(it => isAtLeastAsSevere(it.severity, failOn));
  if (failing.length > 0)
    throw new Error(`${counted(failing.length, 'finding', 'findings')} of severity ${failOn} or worse`);
}

/** Leaves out the findings of the baseline, after writing it if that is asked for. */
async function withoutBaseline(examined: Examined, options: DoctorOptions, io: Io): Promise<Examined> {
  const { baseline: file, writeBaseline: isWritten = false, stack } = options;
  if (file === undefined) return examined;
  const { findings: found } = examined;
  if (isWritten) await writeBaseline(file, found, io);
  const { findings, ...baseline } = beyondBaseline(found, await readBaseline(file, io), stack);
  return { ...examined, findings, baseline };
}

async function writeReports(
  what: string,
  findings: readonly Finding[],
  { sarif, junit }: DoctorOptions,
  io: Io,
): Promise<void> {
  if (sarif !== undefined) {
    const document = sarifDocument(findings, process.cwd(), lineOfResource());
    await io.writeText(sarif, `${JSON.stringify(document, undefined, 2)}\n`);
  }
  if (junit !== undefined) await io.writeText(junit, junitDocument(what, findings));
}

function doctorDocument(
  { what, region, inventories, acknowledgedCount, baseline, unread }: Examined,
  findings: readonly Finding[],
  site: Site,
) {
  const prints = fingerprints(findings);
  const count = (severity: Severity) => findings.filter(it => it.severity === severity).length;
  return {
    examined: what,
    region: region ?? null,
    counts: Object.fromEntries(SEVERITIES.map(it => [it, count(it)])),
    findings: groupFindings(findings, inventories).map(group =>
      findingGroupDocument(group, site, it => ({ fingerprint: prints.get(it) ?? null })),
    ),
    acknowledgedCount,
    baseline: baseline === undefined ? null : { knownCount: baseline.known, gone: baseline.gone },
    unread,
  };
}
