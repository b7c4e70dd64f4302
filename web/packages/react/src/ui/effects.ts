import { useEffect, useLayoutEffect as useBrowserLayoutEffect } from "react";

/** On a server there is no layout, and React 18 warns about the effect. */
export const useLayoutEffect = typeof document === "undefined" ? useEffect : useBrowserLayoutEffect;
