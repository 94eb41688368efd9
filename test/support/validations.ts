import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { DeadLetterOfficeChecks } from '../../lib';

/** Adds cdk-nag's AwsSolutions, our own checks, and cdk-preflight, which includes CDK's own template validation. */
export function validate(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new DeadLetterOfficeChecks());
  Preflight.apply(app, { strict: true });
}

/** Findings about what CDK gives to every function. Its author must judge them, not our constructs. */
export function acknowledgeFunctions(app: App): void {
  Validations.of(app).acknowledge({
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
    reason: 'It is what lets a function write its log.',
  });
  Validations.of(app).acknowledge({
    id: 'AwsSolutions-L1',
    reason: 'The examples use a runtime that the oldest supported aws-cdk-lib knows.',
  });
}

/** The folder of the assembly, or the report of a validation that failed. */
function synthesized(app: App): string {
  try {
    return app.synth().directory;
  } catch (error) {
    const report = /report can be found in: (.*)\/validation-report\.json/.exec(String(error));
    if (!report?.[1]) throw error;
    return report[1];
  }
}

/** Synthesizes an app. Returns the names of the rules of all findings that are not acknowledged. */
export function findings(app: App): string[] {
  const report = readFileSync(path.join(synthesized(app), 'validation-report.json'), 'utf8');
  const { pluginReports } = JSON.parse(report);
  return pluginReports.flatMap(({ violations }: { violations: { ruleName: string }[] }) =>
    violations.map(({ ruleName }) => ruleName),
  );
}

/** Every warning and error of a synthesized stack that is not acknowledged, of any construct. */
export function annotations(stack: Stack): string[] {
  const found = Annotations.fromStack(stack);
  return [found.findWarning('*', Match.anyValue()), found.findError('*', Match.anyValue())]
    .flat()
    .map(({ id, entry }) => `${id}: ${entry.data}`);
}
