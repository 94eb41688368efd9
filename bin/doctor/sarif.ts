import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownManifest } from '../../account/documents/own-package';
import { CHECKS } from '../../diagnosis/checks/check-inventory';
import { CONSEQUENCES, type Finding, type Severity } from '../../diagnosis/checks/finding';
import { publishedCheck } from '../../diagnosis/published-guides';
import { fingerprints } from './baseline';

/** A key of a JSON or YAML object that begins a line, quoted or not. */
const KEY = /^\s*(["']?)([A-Za-z0-9]+)\1\s*:/;

function linesOf(templatePath: string): ReadonlyMap<string, number> {
  const lines = existsSync(templatePath) ? readFileSync(templatePath, 'utf8').split('\n') : [];
  const start = lines.findIndex(line => KEY.exec(line)?.[2] === 'Resources');
  const found = new Map<string, number>();
  lines.forEach((line, index) => {
    const [, , key] = KEY.exec(line) ?? [];
    if (index > start && key !== undefined && !found.has(key)) found.set(key, index + 1);
  });
  return found;
}

/** Returns a function that finds the line of a resource in its template. It reads each template once. */
export function lineOfResource(): (templatePath: string, logicalId: string) => number | undefined {
  const read = new Map<string, ReadonlyMap<string, number>>();
  return (templatePath, logicalId) => {
    const lines = read.get(templatePath) ?? linesOf(templatePath);
    read.set(templatePath, lines);
    return lines.get(logicalId);
  };
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** SARIF has three levels: what loses messages is an error. */
const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  rejected: 'error',
  loses: 'error',
  'at-risk': 'error',
  'on-change': 'warning',
  unwatched: 'warning',
  note: 'note',
};

function rules() {
  return CHECKS.map(({ id, severities }) => ({
    id,
    shortDescription: { text: id.replaceAll('-', ' ') },
    fullDescription: { text: severities.map(it => CONSEQUENCES[it]).join('; or ') },
    helpUri: publishedCheck(ownManifest(), id),
    defaultConfiguration: { level: LEVELS[severities[0] ?? 'note'] },
  }));
}

/** The path of a template, relative to the folder of the repository, as a URI. */
function uriOf(file: string, root: string): string {
  const relative = path.relative(root, file);
  const isBelow = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  return isBelow ? relative.split(path.sep).map(encodeURIComponent).join('/') : pathToFileURL(file).href;
}

type LineOf = (templatePath: string, logicalId: string) => number | undefined;

function locationOf({ resource, location }: Finding, root: string, lineOf: LineOf) {
  const { arn, name, place } = resource;
  const fullyQualifiedName = place ? [place.stack, place.logicalId, location].filter(it => it).join('/') : arn;
  const logicalLocations = [{ name, fullyQualifiedName, kind: 'resource' }];
  if (!place) return { logicalLocations };
  const startLine = lineOf(place.templatePath, place.logicalId);
  const region = startLine === undefined ? {} : { region: { startLine } };
  const artifactLocation = { uri: uriOf(path.resolve(root, place.templatePath), root) };
  return { physicalLocation: { artifactLocation, ...region }, logicalLocations };
}

/**
 * Findings in SARIF 2.1.0, for code scanning.
 *
 * @param root the folder that paths of templates are relative to
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function sarifDocument(findings: readonly Finding[], root: string, lineOf: LineOf): object {
  const { version } = ownManifest();
  const ids = CHECKS.map(({ id }) => id);
  const prints = fingerprints(findings);
  const results = findings.map(finding => {
    const { id, severity, says, fix } = finding;
    return {
      ruleId: id,
      ruleIndex: ids.indexOf(id),
      level: LEVELS[severity],
      message: { text: `${says}\nFix: ${fix.says}` },
      locations: [locationOf(finding, root, lineOf)],
      partialFingerprints: { 'deadLetterOffice/v1': prints.get(finding) },
      properties: { severity },
    };
  });
  const driver = {
    name: 'dlo doctor',
    semanticVersion: version,
    informationUri: publishedCheck(ownManifest(), '').replace(/#$/, ''),
    rules: rules(),
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }] };
}
