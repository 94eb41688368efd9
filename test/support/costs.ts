import { App, type Stack } from 'aws-cdk-lib';
import { readStacks } from '../../bin/doctor/assembly';
import { type AppCost, type CostOptions, stagesCost } from '../../diagnosis/cost/app-cost';
import { assemblyOfStack } from './assembly';

/** What the app of an assembly costs. */
export function costOfAssembly(assembly: string, options?: CostOptions): AppCost {
  return stagesCost(
    readStacks(assembly).map(({ stacks }) => stacks),
    options,
  );
}

/** What the app of a stack costs. */
export function costOfStack({ node }: Stack, options?: CostOptions): AppCost {
  if (!App.isApp(node.root)) throw new Error('the stack has no app');
  return costOfAssembly(node.root.synth().directory, options);
}

/** What a stack named `Test` costs with these constructs. */
export function costOf(fill: (stack: Stack) => void, options?: CostOptions): AppCost {
  return costOfAssembly(assemblyOfStack(fill), options);
}
