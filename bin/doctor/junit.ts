import { type Finding, SEVERITIES } from '../../diagnosis/checks/finding';
import { whereText } from './doctor-text';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Characters that XML 1.0 does not allow. */
const ILLEGAL = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

function xml(text: string): string {
  return text.replace(ILLEGAL, '\u{FFFD}').replace(/[&<>"\n]/g, it => ENTITIES[it] ?? it);
}

function testCase(finding: Finding): string {
  const { id, severity, says, fix, resource } = finding;
  const name = xml(`${id}: ${resource.name}`);
  return [
    `    <testcase classname="${xml(resource.place?.stack ?? resource.arn)}" name="${name}">`,
    `      <failure type="${severity}" message="${xml(says)}">${xml(`${whereText(finding)}\n${says}\nFix: ${fix.says}`)}</failure>`,
    '    </testcase>',
  ].join('\n');
}

/** Findings as JUnit's XML: a suite for each severity, a failed case for each finding, and one passed case if there is none. */
export function junitDocument(what: string, findings: readonly Finding[]): string {
  const suites = SEVERITIES.flatMap(severity => {
    const some = findings.filter(it => it.severity === severity);
    const count = some.length;
    if (count === 0) return [];
    return [
      `  <testsuite name="${severity}" tests="${count}" failures="${count}" errors="0" skipped="0">`,
      ...some.map(testCase),
      '  </testsuite>',
    ];
  });
  const passed = [
    '  <testsuite name="doctor" tests="1" failures="0" errors="0" skipped="0">',
    `    <testcase classname="doctor" name="${xml(`no findings in ${what}`)}"/>`,
    '  </testsuite>',
  ];
  const count = findings.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="dlo doctor" tests="${Math.max(count, 1)}" failures="${count}">`,
    ...(count === 0 ? passed : suites),
    '</testsuites>',
    '',
  ].join('\n');
}
