import { useState } from "react";
import { useLabels } from "../labels/useLabels.js";
import { ImageIcon } from "../ui/icons.js";

interface RemoteImageProps {
  src: string;
  host?: string;
  alt: string;
}

/**
 * An image that is fetched only after a click. Its address was chosen by a model, and fetching it
 * would tell whoever listens there what the model put into it.
 */
export function RemoteImage({ src, host, alt }: RemoteImageProps) {
  const labels = useLabels();
  const [wanted, setWanted] = useState<string>();
  if (wanted === src) {
    return <img className="ps-md-image" src={src} alt={alt} referrerPolicy="no-referrer" decoding="async" />;
  }
  return (
    <button type="button" className="ps-image-gate" title={src} onClick={() => setWanted(src)}>
      <ImageIcon />
      <span className="ps-image-gate-text">
        {labels.showImage(alt)}
        {host && <span className="ps-link-host"> {host}</span>}
      </span>
    </button>
  );
}
