import type { ComponentProps } from "react";
import { Pager as AnyPager } from "../../components/Pager.tsx";
import { pageSizes } from "../state/article-view.ts";

/** The pager with the page sizes of Research. */
export const Pager = (props: Omit<ComponentProps<typeof AnyPager>, "sizes">) => (
  <AnyPager {...props} sizes={pageSizes} />
);
