import { type App, Stack } from 'aws-cdk-lib';
import { readStacks } from '../../bin/doctor/assembly';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import type { Finding } from '../../diagnosis/checks/finding';
import type { AwsCall } from '../../diagnosis/fixes/fix';
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

/** A finding about one resource in the document of `dlo doctor --json`. */
export interface FoundResource {
  readonly id: string;
  readonly severity: string;
  readonly resource: string;
  readonly arn: string;
  readonly stack: string;
  readonly logicalId: string;
  readonly fix: { readonly calls: readonly AwsCall[] };
}

type FoundGroup = Pick<FoundResource, 'id' | 'severity'> & {
  readonly resources: readonly Omit<FoundResource, 'id' | 'severity'>[];
};

/** The findings of `dlo doctor --json`, one for each resource. */
export function eachFinding({ findings }: { readonly findings: readonly FoundGroup[] }): readonly FoundResource[] {
  return findings.flatMap(({ id, severity, resources }) => resources.map(it => ({ ...it, id, severity })));
}
