/* What every page needs. */
import "./names.js";
import "./table.js";
import "./board.js";
import "./board-phone.js";
import "./filter.js";
import "./charts.js";
import "./search.js";
import "./terms.js";
import "./reading.js";
import "./share.js";
import "./print.js";
import "./scroll.js";
