import { type App, Stack } from 'aws-cdk-lib';
import { readStacks } from '../../bin/doctor/assembly';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import type { Finding } from '../../diagnosis/checks/finding';
import { readTemplates } from '../../diagnosis/template-reader/read-templates';
import { assemblyOf } from './assembly';

/** What the checks find in an assembly, stage by stage. */
export function findingsIn(assembly: string): readonly Finding[] {
  return readStacks(assembly).flatMap(({ stacks }) => checkInventory(readTemplates(stacks)));
}

/** What the checks find in an app. */
export function findingsOfApp(fill: (app: App) => void): readonly Finding[] {
  return findingsIn(
    assemblyOf(app => {
      // As with the CDK's own command, each resource names its construct.
      app.node.setContext('aws:cdk:enable-path-metadata', true);
      fill(app);
    }),
  );
}

/** What the checks find in a stack named `Test`. */
export function findingsOf(fill: (stack: Stack) => void): readonly Finding[] {
  return findingsOfApp(app => fill(new Stack(app, 'Test')));
}

/** Each finding in a line: its id, and what it is about. */
export function briefly(findings: readonly Finding[]): string[] {
  return findings.map(({ id, severity, resource }) => `${severity} ${id}: ${resource.name}`);
}
