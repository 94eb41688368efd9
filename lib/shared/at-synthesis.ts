import { AspectPriority, Aspects } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Looks at an app once it is whole: what is made later than `construct` counts too. */
export function atSynthesis(construct: IConstruct, look: () => void): void {
  const visit = (node: IConstruct) => {
    if (node === construct) look();
  };
  Aspects.of(construct).add({ visit }, { priority: AspectPriority.READONLY });
}
